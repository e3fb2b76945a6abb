"""Ids that are no secret and stay, and the secrets that belong to them: data only.

Such a secret has no prefix: it is known by the id within a few lines of it.

Tested in: tests/redact/test_pairs.py
"""

import re

from dejavu.model.late_pattern import late_pattern

from .rule import BASE64, HEX, Rule, companion, token

__all__ = ["RULES"]

_END = r"(?![A-Za-z0-9])"

RULES = (
    token("twilio-sid", "Twilio", "AC", HEX + "{32}" + _END, "2008", "Twilio docs: auth tokens",
          public=True, companions=(companion("twilio", HEX + "{32}"),)),
    Rule("google-client", "Google", (".apps.googleusercontent.com",),
         late_pattern(r"\.apps\.googleusercontent\.com"), "2011", "Google identity docs: OAuth clients",
         anchored_inside=True, public=True,
         companions=(companion("google-secret", r"(?=[A-Za-z_-]{0,23}[0-9])[\w-]{24}"),)),
    token("github-app", "GitHub", "Iv1. Iv23 Ov23", r"[A-Za-z0-9]{16}" + _END, "2018",
          "GitHub docs: OAuth apps, GitHub apps", public=True,
          companions=(companion("github", HEX + "{40}"),)),
    token("okta-client", "Okta", "0oa", r"[A-Za-z0-9]{17}" + _END, "2016", "Okta docs: applications",
          public=True, companions=(companion("okta", r"(?=[A-Za-z_-]{0,63}[0-9])[\w-]{40,64}"),)),
    Rule("auth0-domain", "Okta", (".auth0.com",), late_pattern(r"\.auth0\.com"), "2013",
         "Auth0 docs: application settings", anchored_inside=True, public=True,
         companions=(companion("auth0", r"(?=[A-Za-z_-]{0,63}[0-9])[\w-]{64}"),)),
    token("salesforce-id", "Salesforce", "3MVG9", r"[A-Za-z0-9._]{40,}+", "2010",
          "Salesforce docs: connected apps", public=True,
          companions=(companion("salesforce", r"(?:[0-9A-F]{64}|[0-9]{16,19})"),)),
    token("spaces-id", "DigitalOcean", "DO00 DO80", r"[A-Z0-9]{16}" + _END, "2017",
          "DigitalOcean docs: Spaces keys", public=True,
          companions=(companion("digitalocean", BASE64 + "{43}"),)),
    token("yandex-id", "Yandex Cloud", "YCAJ", r"[\w-]{21}" + _END, "2019",
          "Yandex Cloud docs: static access keys", public=True,
          companions=(companion("yandex", r"YC[\w-]{38}"),)),
    token("zoho-client", "Zoho", "1000.", r"[A-Z0-9]{30,35}" + _END, "2018", "Zoho docs: OAuth clients",
          public=True, companions=(companion("zoho", HEX + "{42}"),)),
    token("duo-id", "Cisco Duo", "DI", r"(?=[A-Z]{0,17}[0-9])[A-Z0-9]{18}" + _END, "2011", "Duo docs: Auth API",
          public=True, companions=(companion("duo", r"[A-Za-z0-9]{40}"),)),
    token("bitwarden-client", "Bitwarden", "user. organization.",
          r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}" + _END, "2020", "Bitwarden docs: personal API key",
          public=True, companions=(companion("bitwarden", r"[A-Za-z0-9]{30}"),)),
    Rule("vapid-public", "", ("ublic Key", "ublicKey", "UBLIC_KEY", "ublic_key"),
         late_pattern(r"ublic[ _]?key[\"']?\s{0,4}[:=]\s{0,4}[\"']?B[\w-]{86}(?![\w-])", re.IGNORECASE),
         "2016", "RFC 8292: VAPID", anchored_inside=True, public=True,
         companions=(companion("vapid", r"[\w-]{43}", lines=4),)),
)  # fmt: skip
