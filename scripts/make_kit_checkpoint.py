"""Make a checkpoint in the published format from a parity kit's pseudo-random tensors.

    python scripts/make_kit_checkpoint.py KIT ENCODER OUT

KIT is the folder with fill.py and one folder for each encoder; ENCODER one of those folders
(opera_ct, opera_ce, opera_gt, hear, m2d, pengi); OUT the file to write. `encoder.weights=OUT` then
runs the encoder, or `raqa.responders.pengi.model.Pengi.load(OUT)` the audio-language model, end to
end without real weights.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from collections import OrderedDict
from pathlib import Path
from types import ModuleType
from typing import Any

import torch


def load_module(kit: Path, name: str) -> ModuleType:
    """Import one of the kit's own Python files, which import each other by bare name."""
    path = kit / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"parity_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{kit} has no {name}.py; is it a parity kit?")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(kit))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(kit))
    return module


def kit_tensors(kit: Path, encoder: str, beginning: str = "") -> dict[str, torch.Tensor]:
    """The tensors of a checkpoint whose names begin so, as the kit's rule fills them."""
    spec = json.loads((kit / encoder / "params.json").read_text())["tensors"]
    spec = [tensor for tensor in spec if tensor["name"].startswith(beginning)]
    own = f"{encoder}/fill_extra"  # a kit may have a rule of its own
    rule = own if (kit / f"{own}.py").is_file() else "fill"
    state = load_module(kit, rule).build_state(spec)
    return OrderedDict((name, torch.from_numpy(array)) for name, array in state.items())


def in_container(kit: Path, encoder: str, tensors: dict[str, torch.Tensor]) -> dict[str, Any]:
    """Wrap tensors the way the published file does."""
    container = json.loads((kit / encoder / "params.json").read_text())["checkpoint"]["container"]
    if "'model'" in container:
        # Beside them training state, which torch.load(weights_only=True) refuses.
        return {"model": tensors, "epoch": 0, "arguments": argparse.Namespace(data=Path("data"))}
    if "Lightning" not in container:
        return tensors
    return {
        "epoch": 0,
        "global_step": 0,
        "pytorch-lightning_version": "2.2.0",
        "state_dict": tensors,
        "loops": {},
        "callbacks": {},
        "optimizer_states": [],
        "lr_schedulers": [],
        "hparams_name": "kwargs",
        # Training state that torch.load(weights_only=True) refuses, as real checkpoints may hold.
        "hyper_parameters": argparse.Namespace(data=Path("data")),
    }


def make(kit: Path, encoder: str, out: Path) -> None:
    """Write the checkpoint."""
    out.parent.mkdir(parents=True, exist_ok=True)
    torch.save(in_container(kit, encoder, kit_tensors(kit, encoder)), out)


def main() -> None:
    """Parse the command line and write the file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("kit", type=Path, help="folder with fill.py and a folder an encoder")
    parser.add_argument("encoder", help="one of its folders: opera_ct, opera_ce, opera_gt, ...")
    parser.add_argument("out", type=Path, help="the file to write")
    arguments = parser.parse_args()
    make(arguments.kit, arguments.encoder, arguments.out)
    print(f"wrote {arguments.out}")


if __name__ == "__main__":
    main()
