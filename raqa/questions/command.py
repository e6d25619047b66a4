"""`raqa qa ...` as it is typed."""

from __future__ import annotations

import typer

from raqa.questions.audit_command import audit
from raqa.questions.sample_command import sample

app = typer.Typer(
    help="Questions and answers about recordings: make them, look at them.", no_args_is_help=True
)


@app.callback()
def _group() -> None:
    """Keep every command's name, however many there are."""


app.command()(sample)
app.command()(audit)
