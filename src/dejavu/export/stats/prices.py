"""Prices of models: dated data of this package, overridden by the user's `prices.toml`.

An estimate says what tokens would cost at the list prices of the vendor's API. What no row names
has no price, which is not the same as none to pay. Nothing is fetched. Loading costs O(rows); an
estimate O(rows of one model), its name looked up once.
"""

import re
import tomllib
from datetime import UTC, date, datetime
from importlib.resources import files
from pathlib import Path

import msgspec

from dejavu.config.paths import config_home
from dejavu.model import InvalidValueError, Usage

_FILE = "prices.toml"
_MILLION = 1_000_000

# What agents and gateways put around a model's own name: a context variant, a route, a release.
_AROUND = re.compile(
    r"\[[^]]*\]$|^(?:.*/|(?:[a-z]+\.)?anthropic\.)|-v\d+(?::\d+)?$|:[a-z]+$|-latest$"
    r"|[-@]20\d{2}-?\d{2}-?\d{2}$"
)
_CLAUDE = re.compile(r"^claude-(?P<major>\d)(?:[.-](?P<minor>\d))?-(?P<family>opus|sonnet|haiku)$")


class Tier(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a request costs whose input, caches included, is more than `above` tokens."""

    above: int
    input: float | None = None
    output: float | None = None
    cache_read: float | None = None
    cache_write: float | None = None
    cache_write_1h: float | None = None


class Price(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"since": "from"}):
    """US dollars per million tokens from `since` on; `prices.toml` says what a missing one is."""

    input: float
    output: float
    since: date | None = None
    cache_read: float | None = None
    cache_write: float | None = None
    cache_write_1h: float | None = None
    tiers: tuple[Tier, ...] = ()

    def cost(self, usage: Usage, request: int | None) -> float:
        """What `usage` costs, in US dollars.

        request: tokens of input of the request it was counted in, which choose the tier; None
        where they are not known, as of a run of several requests: the lowest tier.
        """
        tier = max(
            (tier for tier in self.tiers if request is not None and request > tier.above),
            key=lambda tier: tier.above,
            default=None,
        )

        def rate(name: str, otherwise: float) -> float:
            value = getattr(tier, name, None)
            value = getattr(self, name) if value is None else value
            return otherwise if value is None else float(value)

        read = usage.cache_read_input_tokens or 0
        written = usage.cache_creation_input_tokens or 0
        hour = min(usage.cache_creation_1h_input_tokens or 0, written)
        fresh = max((usage.input_tokens or 0) - read - written, 0)
        per_input = rate("input", self.input)
        per_write = rate("cache_write", per_input)
        total = fresh * per_input + (usage.output_tokens or 0) * rate("output", self.output)
        total += read * rate("cache_read", per_input)
        total += (written - hour) * per_write + hour * rate("cache_write_1h", per_write)
        return total / _MILLION


class Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a vendor's prices stand, and the day on which they were read there."""

    vendor: str
    url: str
    checked: date


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    models: dict[str, list[Price] | Price] = {}
    sources: tuple[Source, ...] = ()


class PriceList:
    """The prices of models, each by its name."""

    def __init__(self, models: dict[str, list[Price]], sources: tuple[Source, ...] = ()) -> None:
        self.sources = sources
        self._models = {
            name.lower(): sorted(rows, key=lambda row: row.since or date.min)
            for name, rows in models.items()
        }
        self._found: dict[str, list[Price]] = {}

    @property
    def rows(self) -> list[tuple[str, Price]]:
        """Every price, with its model's name in small letters."""
        return [(name, row) for name, rows in self._models.items() for row in rows]

    @property
    def changes(self) -> list[date]:
        """The days (UTC) on which the price of some model begins, in order."""
        return sorted({row.since for _, row in self.rows if row.since})

    def price(self, model: str, at: float | None) -> Price | None:
        """The price of `model` at a moment (Unix seconds; None: the latest); None if unknown."""
        if model not in self._found:
            known = (self._models[name] for name in _names(model) if name in self._models)
            self._found[model] = next(known, list[Price]())
        rows = self._found[model]
        if at is not None and len(rows) > 1:
            day = datetime.fromtimestamp(at, UTC).date()
            rows = [row for row in rows if row.since is None or row.since <= day] or rows[:1]
        return rows[-1] if rows else None

    def estimate(
        self, model: str, usage: Usage, *, at: float | None, request: int | None = None
    ) -> float | None:
        """What `usage` would cost, in US dollars; None where the model has no price."""
        price = self.price(model, at)
        return None if price is None else price.cost(usage, request)


def load_prices(own: Path | None = None) -> PriceList:
    """The package's prices, and before them the user's.

    own: the user's file (default: `prices.toml` in the configuration folder); it may be missing.

    Raises:
        InvalidValueError: the user's file is not such a file; the text says what is wrong.
    """
    shipped = _decode(files("dejavu.export.stats").joinpath(_FILE).read_text(encoding="utf-8"))
    path = config_home() / _FILE if own is None else own
    try:
        user = _decode(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        user = _File()
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.MsgspecError) as error:
        raise InvalidValueError(f"{path}: {error}; fix it, or remove it") from None
    models = {
        name.lower(): rows if isinstance(rows, list) else [rows]
        for name, rows in (*shipped.models.items(), *user.models.items())
    }
    return PriceList(models, shipped.sources)


def _decode(text: str) -> _File:
    return msgspec.convert(tomllib.loads(text), _File)


def _names(model: str) -> list[str]:
    """The names under which `model` may stand, from its own to the barest."""
    name = model.strip().lower().replace(" ", "-")
    names = [name]
    while (bare := _AROUND.sub("", name)) != name and bare:
        name = bare
        names.append(name)
    dashed = name.replace(".", "-") if name.startswith("claude-") else name
    if turned := _CLAUDE.match(dashed):  # both orders of words are in use
        major, minor, family = turned["major"], turned["minor"], turned["family"]
        names += [f"claude-{family}-{major}-{minor or 0}", f"claude-{family}-{major}"]
    return [*names, dashed, f"{dashed}-0"]
