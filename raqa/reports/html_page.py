"""A report as one HTML page that needs nothing but itself."""

from __future__ import annotations

from typing import Any

from raqa import __version__
from raqa.reports.content import Content
from raqa.reports.plots import comparison, error_by_group
from raqa.reports.svg import inline_svg


def html_page(content: Content) -> str:
    """Render the page: styles, script and pictures are inside; it loads nothing."""
    return render("page.html.j2", content=content, figures=_figures(content))


def render(template: str, **values: Any) -> str:
    """Fill a template of raqa/reports/page; a value that it asks for and is missing is an error."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("raqa.reports", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template).render(version=__version__, **values).lstrip()


def _figures(content: Content) -> dict[str, str]:
    """Pictures by the setting's title or the run's anchor."""
    figures = {}
    for setting in content.settings:
        if len(setting.views) > 1:
            figures[setting.title] = inline_svg(
                comparison(
                    [view.run for view in setting.views], [view.name for view in setting.views]
                ),
                name=setting.title,
                description=f"{setting.views[0].headline.name} with intervals: {setting.summary}",
            )
    for view in content.views:
        figures[view.anchor] = inline_svg(
            view.kind.figure(view.run),
            name=view.anchor,
            description=f"Predicted against true, {view.name}. {view.verdict}",
        )
        if view.groups:
            figures[f"{view.anchor}-groups"] = inline_svg(
                error_by_group(view.run, view.groups),
                name=f"{view.anchor}-groups",
                description=f"Error by age group and sex, {view.name}; a table follows.",
            )
    return figures
