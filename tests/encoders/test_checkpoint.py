"""Checkpoints are read without executing them, or refused with a reason of their own."""

from __future__ import annotations

import argparse
import functools
import os
import pickle
import shutil
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from raqa.encoders.checkpoint import read_checkpoint
from raqa.errors import UserError

TENSORS = {
    "a.weight": torch.arange(12.0).reshape(3, 4).t(),  # not contiguous
    "b": torch.arange(5),
    "c": torch.ones(2, dtype=torch.bfloat16),
    "d": torch.tensor(True),
}


class Call:
    """Pickles as a call of anything."""

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self.call = function, arguments

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return self.call


class Hyper(dict[str, Any]):
    """A class of a project that is not installed where the checkpoint is read."""


class Schedule:
    """Its bound method is pickled as a call of getattr."""

    def anneal(self) -> None: ...


def same(given: dict[str, torch.Tensor], wanted: dict[str, torch.Tensor]) -> bool:
    return given.keys() == wanted.keys() and all(
        given[name].dtype == one.dtype and torch.equal(given[name], one)
        for name, one in wanted.items()
    )


def lightning(**state: Any) -> dict[str, Any]:
    return {"epoch": 3, "state_dict": OrderedDict(TENSORS), **state}


@pytest.mark.parametrize("key", ["state_dict", "model", None])
def test_tensors_are_found_at_the_top_or_under_the_usual_keys(
    tmp_path: Path, key: str | None
) -> None:
    path = tmp_path / "file.pth"
    torch.save(TENSORS if key is None else {key: TENSORS, "epoch": 1}, path)
    assert same(read_checkpoint(path), TENSORS)


def test_a_safetensors_file_is_told_by_its_content(tmp_path: Path) -> None:
    path = tmp_path / "file.ckpt"
    save_file({name: one.contiguous() for name, one in TENSORS.items()}, path)
    assert same(read_checkpoint(path), TENSORS)


def test_the_format_of_older_torch_is_read(tmp_path: Path) -> None:
    path = tmp_path / "file.pth"
    torch.save(TENSORS, path, _use_new_zipfile_serialization=False)
    assert same(read_checkpoint(path), TENSORS)


def test_tensors_are_read_from_among_training_state_that_torch_refuses(tmp_path: Path) -> None:
    path = tmp_path / "file.ckpt"
    torch.save(
        lightning(
            hyper_parameters=argparse.Namespace(data=Path("data"), limit=np.float64(3)),
            callbacks={Path: Hyper(monitor="loss")},
            lr_schedulers=[{"anneal": Schedule().anneal, "wrap": functools.partial(max, 1)}],
            loops=defaultdict(list, {"a": [1]}),
            optimizer_states=[{"moment": torch.nn.Parameter(torch.zeros(3))}],
            history=np.arange(4.0),
        ),
        path,
    )
    with pytest.raises(pickle.UnpicklingError):
        torch.load(path, weights_only=True)
    assert same(read_checkpoint(path), TENSORS)


ATTACKS = {
    "posix.system": (os.system, "touch {mark}"),
    "pathlib.Path.touch": (Path.touch, "{mark}"),
    "builtins.exec": (exec, "open('{mark}', 'w')"),
    "builtins.eval": (eval, "open('{mark}', 'w')"),
    "shutil.copy": (shutil.copy, "/etc/hostname", "{mark}"),
    "torch.hub.load": (torch.hub.load, "someone/something", "model"),
}


@pytest.mark.parametrize("name", ATTACKS)
@pytest.mark.parametrize("container", ["zip", "old", "pickle", "text pickle"])
def test_a_pickle_that_executes_code_is_refused_by_the_name_of_what_it_calls(
    tmp_path: Path, name: str, container: str
) -> None:
    mark, path = tmp_path / "executed", tmp_path / "file.ckpt"
    function, *arguments = ATTACKS[name]
    filled = [str(one).format(mark=mark) for one in arguments]
    call = Call(function, *(Path(one) if function is Path.touch else one for one in filled))
    if "pickle" in container:
        path.write_bytes(pickle.dumps(call, protocol=0 if container == "text pickle" else 4))
    else:
        torch.save(
            lightning(callbacks=call), path, _use_new_zipfile_serialization=container == "zip"
        )
    expected = name.replace("posix", os.name) if name == "posix.system" else name
    with pytest.raises(UserError, match=f"asks to call {expected} when it is opened"):
        read_checkpoint(path)
    assert not mark.exists()


def test_even_harmless_calls_are_not_executed(tmp_path: Path) -> None:
    path = tmp_path / "file.ckpt"
    torch.save(lightning(callbacks=Call(functools.partial, print, "heard")), path)
    assert same(read_checkpoint(path), TENSORS)


@pytest.mark.parametrize("kept", [0.3, 0.99])
@pytest.mark.parametrize("container", ["zip", "old", "safetensors"])
def test_a_file_that_is_cut_off_says_so(tmp_path: Path, container: str, kept: float) -> None:
    path = tmp_path / "file"
    if container == "safetensors":
        save_file({"a": torch.zeros(100)}, path)
    else:
        torch.save({"a": torch.zeros(100)}, path,
                   _use_new_zipfile_serialization=container == "zip")  # fmt: skip
    path.write_bytes(path.read_bytes()[: int(kept * path.stat().st_size)])
    with pytest.raises(UserError, match="cut off or damaged"):
        read_checkpoint(path)


def test_a_record_that_is_too_short_says_so(tmp_path: Path) -> None:
    import zipfile

    whole, path = tmp_path / "whole", tmp_path / "file"
    torch.save(lightning(hyper_parameters=Path("data")), whole)
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(path, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            target.writestr(name, data[:4] if "/data/" in name else data)
    with pytest.raises(UserError, match="cut off or damaged"):
        read_checkpoint(path)


def test_what_is_no_checkpoint_says_what_it_is(tmp_path: Path) -> None:
    page, archive, empty, text = (tmp_path / name for name in ("page", "archive", "empty", "text"))
    page.write_text("<html>Please accept our terms</html>")
    with archive.open("wb") as file:
        np.savez(file, a=np.zeros(3))
    empty.touch()
    text.write_bytes(pickle.dumps("a text"))
    for path, reason in (
        (page, "web page"),
        (archive, "zip archive and no torch checkpoint; it holds a.npy"),
        (empty, "is empty"),
        (text, "neither a safetensors nor a torch file"),
        (tmp_path / "nowhere", "No such file"),
        (tmp_path, "directory"),
    ):
        with pytest.raises(UserError, match=reason):
            read_checkpoint(path)


@pytest.mark.parametrize("content", [{"epoch": 1}, [torch.zeros(1)], {}])
def test_a_file_without_named_tensors_says_so(tmp_path: Path, content: Any) -> None:
    torch.save(content, tmp_path / "file")
    with pytest.raises(UserError, match="holds no tensors"):
        read_checkpoint(tmp_path / "file")


def test_a_program_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("warnings.warn", lambda *_args, **_kwargs: None)  # TorchScript is deprecated
        torch.jit.save(torch.jit.trace(torch.nn.Linear(2, 2), torch.zeros(1, 2)), path)
    with pytest.raises(UserError, match="TorchScript program"):
        read_checkpoint(path)
