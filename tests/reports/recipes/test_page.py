import re

import pytest

from raqa.reports.recipes.page import recipe_page
from raqa.reports.recipes.write import make_recipe_report
from reports.test_html_page import Links


@pytest.fixture(scope="module")
def page(make_cell_in, tmp_path_factory) -> str:
    """A table of three encoders in two corpora: one never trained, one cell missing."""
    from raqa.reports.recipes.cells import RecipeFacts

    make_cell = make_cell_in(tmp_path_factory.mktemp("page"))
    cells = [
        make_cell(encoder, corpus=corpus, skill=skill, real=encoder != "opera_gt")
        for corpus in ("coswara", "cidrz")
        for encoder, skill in (("mel_stats", 0.5), ("opera_ct", 0.9), ("opera_gt", 0.2))
    ]
    cells.append(make_cell("hear", problem="failed: <script>alert(1)</script>"))
    return recipe_page(make_recipe_report(RecipeFacts("demo/table3", "A table", "within"), cells))


def test_the_page_needs_nothing_but_itself(page):
    links = Links()
    links.feed(page)
    assert [one for one in links.found if not one.startswith(("#", "data:image/"))] == []
    assert not links.tags & {"link", "iframe", "object", "embed", "base"}
    assert set(re.findall(r"url\((.)", page)) <= {"#"}
    assert "http" not in page


def test_causes_can_not_become_markup(page):
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_does_not_scroll_sideways_and_shows_its_watermark(page, browse, width):
    answer = browse(
        page,
        """
        for (const details of page.querySelectorAll("details")) details.open = true;
        const mark = page.querySelector(".watermark");
        return {
          page: page.documentElement.scrollWidth, view: view.innerWidth,
          plots: [...page.querySelectorAll("svg.plot")].map((plot) =>
            plot.getBoundingClientRect().right <= view.innerWidth && plot.clientWidth > 200),
          mark: mark.textContent, seen: mark.getBoundingClientRect().width,
          position: view.getComputedStyle(mark).position,
          clicks: view.getComputedStyle(mark).pointerEvents,
        };
        """,
        width=width,
    )
    assert answer["page"] <= answer["view"] == width
    assert len(answer["plots"]) == 6  # per corpus: all errors, predictions, groups
    assert all(answer["plots"])
    assert answer["mark"] == "Random weights"
    assert answer["seen"] > 200
    assert (answer["position"], answer["clicks"]) == ("fixed", "none")


def test_a_press_on_an_encoder_sorts_rows_by_its_error_and_missing_ones_stay_last(page, browse):
    answer = browse(
        page,
        """
        const table = page.querySelector("table.sortable");
        const heads = [...table.tHead.rows[0].cells];
        const read = (column) => [...table.tBodies[0].rows].map(
          (row) => row.cells[column].dataset.order ?? null);
        const answers = {};
        for (const name of ["opera_ct", "hear"]) {
          const column = heads.findIndex((head) => head.textContent.trim() === name);
          heads[column].querySelector("button").click();
          answers[name] = read(column);
        }
        return answers;
        """,
        width=1280,
    )
    values = [float(value) for value in answer["opera_ct"]]
    assert values == sorted(values)
    assert answer["hear"] == [None, None]


def test_best_and_random_places_are_marked(page):
    places = re.findall(r'<td class="number([^"]*)"', page)
    assert any("best" in place for place in places)
    assert any("random" in place for place in places)
    assert not any("best" in place and "random" in place for place in places)
