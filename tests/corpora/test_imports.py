"""Reading labels is light: `raqa corpora list` answers at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import raqa.corpora

MODULES = sorted(
    f"raqa.corpora.{path.stem}"
    for path in Path(raqa.corpora.__path__[0]).glob("*.py")
    if path.stem != "__init__"
)


def test_no_corpus_imports_the_learning_libraries() -> None:
    heavy = "{'torch', 'pytorch_lightning', 'transformers', 'sklearn', 'matplotlib'}"
    code = f"import sys, {', '.join(MODULES)}; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
