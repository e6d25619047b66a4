"""A published checkpoint is the file that was published, or it is refused with what to do."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from raqa.download.http import FetchError
from raqa.encoders.published import Published, given_path
from raqa.errors import UserError

CONTENT = b"the published weights"


@dataclass(frozen=True)
class Shelf:
    """A place that has a file, or the reason why it can not be had."""

    path: Path
    error: FetchError | None = None
    file: str = "weights.pt"
    place: str = "someone/model"
    url: str = "https://example.org/weights.pt"

    def cached(self) -> Path | None:
        return self.path if self.path.is_file() else None

    def fetch(self) -> Path:
        if self.error is not None:
            raise self.error
        self.path.write_bytes(CONTENT)
        return self.path


@pytest.fixture
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Published:
    monkeypatch.setenv("RAQA_CACHE", str(tmp_path / "cache"))
    return Published(
        name="opera_ct",
        title="OPERA-CT",
        source=Shelf(tmp_path / "weights.pt"),
        licence="CC BY-NC 4.0.",
        licence_page="https://example.org/licence",
        sha256=hashlib.sha256(CONTENT).hexdigest(),
        size=len(CONTENT),
    )


def test_a_file_that_is_not_here_is_fetched_and_one_that_is_here_is_taken(published, tmp_path):
    assert published.path().read_bytes() == CONTENT
    offline = Shelf(tmp_path / "weights.pt", FetchError("no network"))
    assert replace(published, source=offline).path() == tmp_path / "weights.pt"


def test_the_licence_is_shown_the_first_time_only(published: Published, capsys) -> None:
    published.path()
    assert "OPERA-CT: CC BY-NC 4.0. https://example.org/licence" in capsys.readouterr().err
    published.path()
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("content", [b"the published weight", b"the published weightz"])
def test_another_file_in_its_place_is_refused_with_both_facts(
    published: Published, tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "weights.pt").write_bytes(content)
    with pytest.raises(UserError, match="is not the published checkpoint of OPERA-CT") as caught:
        published.path()
    for part in ("raqa weights fetch opera_ct", f"encoder.weights={tmp_path / 'weights.pt'}"):
        assert part in str(caught.value)


def test_a_file_changed_after_it_was_checked_is_noticed(published: Published) -> None:
    path = published.path()
    path.write_bytes(CONTENT[::-1])
    with pytest.raises(UserError, match="has SHA-256"):
        published.path()


def test_without_a_network_the_message_names_every_way_out(published, tmp_path: Path) -> None:
    offline = replace(published, source=Shelf(tmp_path / "none", FetchError("no network")))
    with pytest.raises(UserError) as caught:
        offline.path()
    for part in ("no network", "raqa weights fetch opera_ct", "https://example.org/weights.pt",
                 "encoder.weights=PATH", "encoder.weights=random"):  # fmt: skip
        assert part in str(caught.value)


def test_what_is_no_encoders_is_named_by_its_own_setting(published, tmp_path: Path) -> None:
    offline = replace(
        published, name="pengi", source=Shelf(tmp_path / "none", FetchError("no network")),
        setting="responder.checkpoint", otherwise="",
    )  # fmt: skip
    with pytest.raises(UserError, match=r"set responder.checkpoint=PATH\.$"):
        offline.path()


def test_missing_access_names_the_terms_and_how_to_sign_in(published, tmp_path: Path) -> None:
    gated = replace(published, source=Shelf(tmp_path / "none", FetchError("403", access=True)))
    with pytest.raises(UserError, match=r"Accept them at https://example.org/licence.*hf auth"):
        gated.path()


def test_a_path_of_the_users_is_a_file_or_is_named_as_given(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("WEIGHTS", str(tmp_path))
    (tmp_path / "a.pt").write_bytes(b"x")
    assert given_path("$WEIGHTS/a.pt") == tmp_path / "a.pt"
    for given, found in ((str(tmp_path), "is a folder"), ("hubb", "is no file")):
        with pytest.raises(UserError, match=f"encoder.weights={given}: .*{found}.*random"):
            given_path(given)
