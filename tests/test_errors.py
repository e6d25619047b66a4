"""Messages for what a user can mend."""

import errno
import os
from pathlib import Path

import pytest

from raqa.errors import UserError, neighbours, storage_problem
from raqa.folders import make_folder


def test_near_names_come_first_then_all_in_order() -> None:
    text = neighbours("mlp_smal", ["mlp", "linear", "mlp_small"])
    assert text == "Did you mean mlp_small? Choices: linear, mlp, mlp_small"


def test_nothing_near_lists_the_choices() -> None:
    assert neighbours("zzz", ["b", "a"]) == "Choices: a, b"
    assert "nothing to choose from" in neighbours("zzz", [])


def test_several_problems_are_one_error() -> None:
    error = UserError(["first", "second"])
    assert error.problems == ("first", "second")
    assert str(error) == "first\nsecond"


def _error(number: int) -> OSError:
    return OSError(number, os.strerror(number), "runs/x")


@pytest.mark.parametrize(
    "number", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.ENOTDIR, errno.EEXIST]
)
def test_a_disk_that_can_not_be_used_is_told_with_what_to_do(number: int) -> None:
    message = storage_problem(_error(number))
    assert message is not None
    assert message.startswith("runs/x: ")
    assert "paths.runs" in message


def test_a_place_that_takes_no_folder_is_told_as_one(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file") as raised:
        make_folder(tmp_path / "file" / "x")
    message = storage_problem(raised.value)
    assert message is not None
    assert "no folder that can be used" in message
    make_folder(tmp_path / "a" / "b")
    make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()


def test_libraries_say_in_words_that_the_disk_is_full() -> None:
    message = storage_problem(RuntimeError("I/O error: No space left on device (os error 28)"))
    assert message is not None
    assert message.startswith("no space left on device. Make room")


def test_other_errors_are_left_alone() -> None:
    assert storage_problem(_error(errno.EIO)) is None
    assert storage_problem(ValueError("out of cats")) is None
