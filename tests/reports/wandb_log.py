"""Read what Weights & Biases wrote offline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from raqa.reports.wandb_log import records


def _values(items: Any) -> dict[str, Any]:
    return {item.key or "/".join(item.nested_key): json.loads(item.value_json) for item in items}


def read_offline(folder: Path) -> dict[str, Any]:
    """What one offline folder says: id, group, job type, tags, config, history, summary."""
    (path,) = folder.glob("run-*.wandb")
    found: dict[str, Any] = {"history": [], "summary": {}, "config": {}, "exit": None}
    for record in records(path):
        kind = record.WhichOneof("record_type")
        if kind == "run":
            run = record.run
            found |= {"id": run.run_id, "name": run.display_name, "project": run.project}
            found |= {"group": run.run_group, "job_type": run.job_type, "tags": set(run.tags)}
            found["config"] |= _values(run.config.update)
        elif kind == "history":
            found["history"].append(_values(record.history.item))
        elif kind == "summary":
            found["summary"] |= _values(record.summary.update)
        elif kind == "exit":
            found["exit"] = record.exit.exit_code
    return found
