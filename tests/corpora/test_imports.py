"""Reading labels is light: `raqa corpora list` answers at once."""

from __future__ import annotations

import subprocess
import sys

MODULES = ("audit_print", "check", "cohort", "coswara", "coughvid", "demo", "manifest")


def test_no_corpus_imports_the_learning_libraries() -> None:
    imports = ", ".join(f"raqa.corpora.{name}" for name in MODULES)
    heavy = "{'torch', 'pytorch_lightning', 'transformers', 'sklearn', 'matplotlib'}"
    code = f"import sys, {imports}; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
