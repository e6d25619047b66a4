"""CoughVID: about 20,000 crowdsourced cough uploads, up to four experts' labels on some."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import polars as pl
from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from raqa.corpora.base import Downloaded, Recordings
from raqa.corpora.experts import read_experts
from raqa.corpora.files import AUDIO_SUFFIXES, entries, is_apple_double
from raqa.corpora.label_table import read_label_table, require_columns
from raqa.corpora.labels import LabelColumn, read_attributes
from raqa.corpora.repeated import drop_repeated
from raqa.corpora.uploads import upload_groups
from raqa.corpora.uuid_split import read_uuid_split
from raqa.errors import UserError
from raqa.tables import SetAside, set_aside_table

_LABELS = {
    "age": LabelColumn("age", unit="year"),
    "sex": LabelColumn("gender"),
    "covid_status": LabelColumn("status"),
    "respiratory_condition": LabelColumn("respiratory_condition"),
    "fever_muscle_pain": LabelColumn("fever_muscle_pain"),
    "cough_detected": LabelColumn("cough_detected", unit="probability"),
}
_EXPERTS = {
    "expert_quality": "quality",
    "expert_cough_type": "cough_type",
    "expert_dyspnea": "dyspnea",
    "expert_wheezing": "wheezing",
    "expert_stridor": "stridor",
    "expert_choking": "choking",
    "expert_congestion": "congestion",
    "expert_nothing": "nothing",
    "expert_diagnosis": "diagnosis",
    "expert_severity": "severity",
}
_MEANING = {
    **dict.fromkeys(_EXPERTS, "no expert heard it, or those who did disagree or said unknown"),
    "*": "the uploader did not say",
}
_PREFERRED = (".webm", ".ogg", ".wav")  # as uploaded before what somebody converted
_SAME_UPLOADER = ("age", "sex", "covid_status")


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class CoughVid(Downloaded):
    """The official download: `public_dataset/` with `metadata_compiled.csv` and the uploads.

    Sources: Orlandic et al. 2021, doi:10.1038/s41597-021-00937-4.

    Attributes:
        root: the folder of `public_dataset`, or that folder itself.
        split_file: a CSV (uuid, split) or OPERA's folder of arrays; null: `root/opera_split` if
            that is there.
        upload_group_minutes: uploads of the same age, sex and status that follow each other
            within this share an `upload_group`.
    """

    root: Path
    split_file: Path | None = None
    upload_group_minutes: Annotated[float, Field(ge=0)] = 3.0

    name = "coughvid"
    title = "CoughVID: crowdsourced coughs from all over the world; uploads, not subjects"
    licence = "CC BY 4.0"
    how_to_get = "download it from https://zenodo.org/records/4048312 and unpack public_dataset.zip"
    attributes = (*_LABELS, *_EXPERTS)
    missing = _MEANING

    @property
    def subject_known(self) -> bool:
        """False: one person may have uploaded several times."""
        return False

    def read(self) -> Recordings:
        """Read one row for each upload, with the audio or without; `upload_group` comes last.

        Raises:
            UserError: metadata_compiled.csv is not there or lacks columns; the split is unusable.
        """
        folder = self._folder()
        metadata = folder / "metadata_compiled.csv"
        table = read_label_table(metadata)
        columns = ("uuid", "datetime", *(source.column for source in _LABELS.values()))
        problems = require_columns(table, columns, metadata)
        if problems:
            raise UserError(problems)
        table, repeated = drop_repeated(table, "uuid", corpus=self.name)
        values, unusable = read_attributes(table, _LABELS, corpus=self.name, item=table["uuid"])
        experts, disputed = read_experts(table, _EXPERTS, corpus=self.name, item=table["uuid"])
        split, odd_split, sources = self._read_split(set(table["uuid"]))
        files, strays = self._find_files(folder, set(table["uuid"]))
        rows = (
            table.select(recording_id="uuid", uploaded=_moment("datetime"))
            .hstack(values)
            .hstack(experts)
            .join(split, on="recording_id", how="left", maintain_order="left")
            .join(files, on="recording_id", how="left", maintain_order="left")
        )
        groups = upload_groups(rows, minutes=self.upload_group_minutes, same=_SAME_UPLOADER)
        rows = rows.join(groups, on="recording_id", how="left", maintain_order="left")
        aside = set_aside_table([*odd_split, *strays])
        return Recordings(
            corpus=self.name,
            table=self._recordings(rows, folder),
            set_aside=pl.concat([repeated, unusable, disputed, aside]),
            sources=(metadata, *sources),
        )

    def _folder(self) -> Path:
        for folder in (self.root / "public_dataset", self.root):
            if (folder / "metadata_compiled.csv").is_file():
                return folder
        raise UserError(
            f"No CoughVID in {self.root}: public_dataset/metadata_compiled.csv is not there. "
            f"How to get it: {self.how_to_get}"
        )

    def _recordings(self, rows: pl.DataFrame, folder: Path) -> pl.DataFrame:
        expected = pl.format("{}/{}.webm", pl.lit(str(folder.absolute())), "recording_id")
        return rows.select(
            "recording_id",
            corpus=pl.lit(self.name),
            subject_id="recording_id",
            subject_known=pl.lit(False),
            path=pl.coalesce("found", expected),
            audio=pl.col("found").is_not_null(),
            start_s=pl.lit(None, pl.Float64),
            end_s=pl.lit(None, pl.Float64),
            modality=pl.lit("cough"),
            split="split",
            **{name: name for name in self.attributes},
            upload_group="upload_group",
        )

    def _read_split(self, known: set[str]) -> tuple[pl.DataFrame, list[SetAside], tuple[Path, ...]]:
        place = self.split_file or self.root / "opera_split"
        if self.split_file is None and not place.exists():
            reason = (
                f"there is no split in {place}: put datasets/coughvid of "
                "https://github.com/evelyn0414/OPERA there, or set datamodule.corpus.split_file"
            )
            nothing = pl.DataFrame(schema={"recording_id": pl.String, "split": pl.String})
            return nothing, [SetAside(self.name, "split", place.name, reason, field="split")], ()
        split, sources = read_uuid_split(place)
        strange = split.filter(pl.col("uuid").is_in(list(known)).not_())
        reason = "stands in the split and not in metadata_compiled.csv"
        aside = [SetAside(self.name, "split", uuid, reason) for uuid in strange["uuid"]]
        return split.rename({"uuid": "recording_id"}), aside, sources

    def _find_files(self, folder: Path, known: set[str]) -> tuple[pl.DataFrame, list[SetAside]]:
        """Index the uploads' files, whatever their format."""
        found: dict[str, Path] = {}
        strays = []
        names = [Path(entry.path) for entry in entries(folder.absolute())]
        for path in sorted(names, key=_preference):
            if path.suffix.lower() not in AUDIO_SUFFIXES:
                continue
            if is_apple_double(path.name):
                strays.append((path, "an AppleDouble file of macOS, not audio"))
            elif path.stem not in known:
                strays.append((path, "no upload of that id is in metadata_compiled.csv"))
            elif path.stem in found:
                strays.append((path, f"{found[path.stem].suffix} of the same upload is used"))
            else:
                found[path.stem] = path
        table = pl.DataFrame(
            {"recording_id": list(found), "found": [str(path) for path in found.values()]},
            schema={"recording_id": pl.String, "found": pl.String},
        )
        return table, [SetAside(self.name, "layout", path.name, reason) for path, reason in strays]


def _preference(path: Path) -> tuple[int, str]:
    suffix = path.suffix.lower()
    place = _PREFERRED.index(suffix) if suffix in _PREFERRED else len(_PREFERRED)
    return place, path.name


def _moment(column: str) -> pl.Expr:
    """Times as they stand there: `2020-04-13T21:30:00.123456+00:00`."""
    return pl.col(column).str.to_datetime("%Y-%m-%dT%H:%M:%S%.f%:z", strict=False, time_unit="us")
