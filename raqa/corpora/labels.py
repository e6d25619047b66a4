"""Raw label text to canonical values, or a reason why it can not be one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

import polars as pl
from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from raqa.corpora.attributes import Attribute, attribute
from raqa.corpora.label_table import ROW
from raqa.errors import UserError, neighbours
from raqa.tables import SET_ASIDE

_MISSING = ("", "na", "n/a", "#n/a", "nan", "<na>", "null", "nat", ".", "-", "?")
_UNTOLD = (*_MISSING, "none", "unknown", "missing", "not known", "not available", "unspecified",
           "prefer not to say", "unknown/void")  # fmt: skip
_YES_NO = {
    **dict.fromkeys(("yes", "y", "true", "t", "1", "1.0"), "yes"),
    **dict.fromkeys(("no", "n", "false", "f", "0", "0.0"), "no"),
}
_SEX = {
    **dict.fromkeys(("female", "f", "woman", "girl"), "female"),
    **dict.fromkeys(("male", "m", "man", "boy"), "male"),
    **dict.fromkeys(("other", "o", "diverse", "non-binary", "nonbinary"), "other"),
}
_NUMBER = r"[+-]?[0-9]*[.,]?[0-9]+"
_RANGE = rf"^{_NUMBER}\s*(-|–|—|to|\.\.)\s*{_NUMBER}$"
SEPARATOR = r"\s*[+;|/,]\s*"
_PARTED = "\x1f"
_COMMA = r"^[+-]?[0-9]*,[0-9]+$"
_THOUSANDS = r"^[+-]?[1-9][0-9]{0,2},[0-9]{3}$"


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class LabelColumn:
    """Where an attribute stands in a label table.

    Attributes:
        column: the column's name; spaces around it do not matter.
        unit: the unit it is written in; None: the attribute's canonical unit.
        values: what is written to what is meant, where the words are the table's own. YAML reads
            an unquoted yes, no, true or false as a truth value, so those are taken too.
        separator: a regular expression that parts the labels of a multilabel attribute; each part
            is then looked up in `values`. The default parts at + ; | / and commas.
    """

    column: str
    unit: str | None = None
    values: Mapping[str | bool | int | float, str | bool] = field(default_factory=dict)
    separator: str = SEPARATOR

    def stripped(self) -> LabelColumn:
        """The same without spaces around the column's name, as tables are read."""
        return replace(self, column=self.column.strip())

    @property
    def words(self) -> dict[str, str]:
        """`values` as lower-case text to canonical label."""
        return {str(written).strip().lower(): _label(meant)
                for written, meant in self.values.items()}  # fmt: skip


def source_problems(name: str, source: LabelColumn) -> list[str]:
    """Say what is wrong with a mapping before any table is read: attribute, unit, values."""
    try:
        wanted = attribute(name)
    except UserError as error:
        return list(error.problems)
    problems = []
    if source.unit is not None and source.unit not in wanted.units:
        choices = neighbours(source.unit, wanted.units) if wanted.units else "It has no unit."
        problems.append(f"{name} can not be read in the unit {source.unit!r}. {choices}")
    if wanted.labels:
        problems += [
            f"{name}: {raw!r} is mapped to {label!r}. {neighbours(label, wanted.labels)}"
            for raw, label in source.words.items()
            if label not in wanted.labels
        ]
    return problems


def read_attributes(
    table: pl.DataFrame, sources: Mapping[str, LabelColumn], *, corpus: str, item: pl.Series
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Read canonical attributes out of a table of text.

    Args:
        table: what `read_label_table` returns: String columns and ROW.
        sources: canonical attribute name to its column.
        item: which recording or subject each row is.

    Returns:
        A column per attribute in the table's order (null: missing or set aside), and SET_ASIDE
        rows of stage "label" for every value that could not be used.
    """
    values, aside = [], [pl.DataFrame(schema=dict(SET_ASIDE))]
    for name, source in sources.items():
        raw = table[source.column]
        canonical, reasons = parse(
            raw, attribute(name), unit=source.unit, words=source.words, separator=source.separator
        )
        values.append(canonical.alias(name))
        aside.append(
            table.select(
                corpus=pl.lit(corpus),
                stage=pl.lit("label"),
                item=item,
                row=pl.col(ROW),
                field=pl.lit(source.column),
                value=raw,
                reason=reasons,
            ).filter(pl.col("reason").is_not_null())
        )
    return pl.DataFrame(values), pl.concat(aside)


def parse(
    raw: pl.Series,
    wanted: Attribute,
    *,
    unit: str | None = None,
    words: Mapping[str, str] | None = None,
    separator: str = SEPARATOR,
) -> tuple[pl.Series, pl.Series]:
    """Turn text into an attribute's canonical values.

    Args:
        raw: text as it stands in the table.
        unit: the unit that numbers are written in; None: the canonical one.
        words: what is written, in lower case, to what is meant.
        separator: a regular expression that parts the labels of a multilabel attribute.

    Returns:
        `values` (of the attribute's dtype) and `reasons` (String): at most one
        of the two is non-null at any place, and both are null where the label is missing.
    """
    text = raw.cast(pl.String).str.strip_chars()
    if wanted.kind == "multilabel":
        return _parse_lists(text, wanted, words or {}, separator)
    if words:
        meant = text.str.to_lowercase().replace_strict(words, default=None, return_dtype=pl.String)
        text = meant.fill_null(text)
    if wanted.kind == "numeric":
        return _parse_numbers(text, wanted, unit or wanted.unit or "")
    return _parse_words(text, wanted)


def parse_numbers(raw: pl.Series) -> pl.Series:
    """Read numbers without range or unit; null where there is none. A comma may be decimal."""
    text = raw.cast(pl.String).str.strip_chars().str.replace_all("−", "-", literal=True)
    plain = pl.when(pl.col("t").str.contains(_COMMA)).then(
        pl.col("t").str.replace(",", ".", literal=True)
    )
    number = plain.otherwise(pl.col("t")).cast(pl.Float64, strict=False)
    return text.alias("t").to_frame().select(number.fill_nan(None).alias(raw.name)).to_series()


def _parse_numbers(text: pl.Series, wanted: Attribute, unit: str) -> tuple[pl.Series, pl.Series]:
    factor = wanted.units.get(unit, 1.0)
    low = -float("inf") if wanted.low is None else wanted.low
    high = float("inf") if wanted.high is None else wanted.high
    name, value, written = wanted.name, pl.col("value"), pl.col("text")
    converted = "" if unit == (wanted.unit or "") else f" {unit}"
    bounds = f"{low:g}-{high:g} {wanted.unit or ''}".rstrip()
    # "10,950 day" may be ten days or thirty years: with both believable, neither is.
    grouped = written.str.replace(",", "", literal=True).cast(pl.Float64, strict=False) * factor
    unsure = written.str.contains(_THOUSANDS) & grouped.is_between(low, high)
    missing = written.is_null() | written.str.to_lowercase().is_in(_UNTOLD)
    inside = value.is_finite() & value.is_between(low, high)

    def because(text_after: str) -> pl.Expr:
        return pl.format("{} of {}{} {}", pl.lit(name), written, pl.lit(converted),
                         pl.lit(text_after))  # fmt: skip

    reason = (
        pl.when(missing)
        .then(None)
        .when(written.str.contains(_RANGE))
        .then(because("is a range, not a number"))
        .when(value.is_null())
        .then(because("is not a number"))
        .when(~inside)
        .then(because(f"is outside {bounds}"))
        .when(unsure)
        .then(because("may have a decimal comma or a thousands comma"))
        .otherwise(None)
    )
    frame = pl.DataFrame({"text": text, "value": parse_numbers(text) * factor})
    frame = frame.with_columns(reason=reason.cast(pl.String), missing=missing).with_columns(
        value=pl.when(pl.col("reason").is_null() & ~pl.col("missing")).then(pl.col("value"))
    )
    return frame["value"], frame["reason"]


def _parse_lists(
    text: pl.Series, wanted: Attribute, words: Mapping[str, str], separator: str
) -> tuple[pl.Series, pl.Series]:
    """Part every cell and read each part as a word; a cell with a part of no meaning is none."""
    rows = pl.DataFrame({"text": text}).with_row_index("place")
    parts = (
        rows.with_columns(
            part=pl.col("text").str.replace_all(separator, _PARTED).str.split(_PARTED)
        )
        .explode("part")
        .filter(pl.col("part").str.strip_chars() != "")
    )
    values, reasons = parse(parts["part"], replace(wanted, kind="categorical"), words=words)
    order = {label: place for place, label in enumerate(wanted.labels)}
    read = (
        parts.select("place")
        .with_columns(value=values, reason=reasons)
        .with_columns(
            rank=pl.col("value").replace_strict(order, default=None, return_dtype=pl.Int64)
        )
        .sort("place", "rank", "value", maintain_order=True)
        .group_by("place", maintain_order=True)
        .agg(
            values=pl.col("value").drop_nulls().unique(maintain_order=True),
            reason=pl.col("reason").drop_nulls().first(),
        )
    )
    found = rows.join(read, on="place", how="left", maintain_order="left").with_columns(
        values=pl.when(pl.col("reason").is_null() & (pl.col("values").list.len() > 0)).then(
            "values"
        )
    )
    return found["values"], found["reason"]


def _parse_words(text: pl.Series, wanted: Attribute) -> tuple[pl.Series, pl.Series]:
    lowered = text.str.to_lowercase()
    known = _known_words(wanted)
    told = lowered.is_in(_MISSING if not known or "unknown" in known else _UNTOLD)
    missing = text.is_null() | told.fill_null(True)
    if not known:
        values = pl.select(pl.when(missing).then(None).otherwise(text)).to_series()
        return values, pl.Series("reason", [None] * len(text), dtype=pl.String)
    values = lowered.replace_strict(known, default=None, return_dtype=pl.String)
    frame = pl.DataFrame({"text": text, "value": values, "missing": missing})
    reason = pl.format(
        "{} of {} is none of {}",
        pl.lit(wanted.name),
        pl.col("text"),
        pl.lit(", ".join(wanted.labels)),
    )
    wrong = pl.col("value").is_null() & ~pl.col("missing")
    frame = frame.with_columns(reason=pl.when(wrong).then(reason))
    return frame["value"], frame["reason"]


def _label(meant: str | bool) -> str:
    if isinstance(meant, bool):
        return "yes" if meant else "no"
    return meant


def _known_words(wanted: Attribute) -> dict[str, str]:
    words = {label.lower(): label for label in wanted.labels}
    if wanted.kind == "ordinal":  # a spreadsheet writes 1 as 1.0
        words |= {f"{label}.0": label for label in wanted.labels if label.isdigit()}
    if wanted.labels == ("no", "yes"):
        words |= _YES_NO
    if wanted.name == "sex":
        words |= _SEX
    return words
