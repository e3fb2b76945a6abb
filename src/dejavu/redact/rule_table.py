"""All rules in one table, the vendors' before those that know less.

Data. What a rule is says `rule.py`; who looks for them is `engine.py`.

Tested in: tests/redact/test_engine.py
"""

from . import (
    command_rules,
    file_rules,
    generic_rules,
    password_rules,
    phrase_rules,
    vendors_ai,
    vendors_cloud,
    vendors_code,
    vendors_pairs,
    vendors_saas,
)
from .columns import RULE as HEADING
from .command_rules import encoded_rules
from .rule import Rule

__all__ = ["RULES", "VENDORS"]

VENDORS = (
    *vendors_ai.RULES,
    *vendors_code.RULES,
    *vendors_cloud.RULES,
    *vendors_saas.RULES,
    *vendors_pairs.RULES,
)
RULES: tuple[Rule, ...] = (
    *VENDORS,
    *phrase_rules.RULES,
    *generic_rules.RULES,
    *encoded_rules(VENDORS),
    *file_rules.RULES,
    *password_rules.RULES,
    *command_rules.RULES,
    HEADING,
)
