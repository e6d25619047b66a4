import re
from html.parser import HTMLParser

import pytest

from raqa.reports.content import make_content
from raqa.reports.html_page import html_page
from raqa.reports.run_folder import read_run


@pytest.fixture(scope="module")
def page(make_run_in, tmp_path_factory) -> str:
    """Three runs in one setting and one in another."""
    make_run = make_run_in(tmp_path_factory.mktemp("page"))
    paths = [
        make_run("a-1", encoder="mel_stats", skill=0.6),
        make_run("a-2", encoder="opera_ct", skill=0.8, subjects=60),
        make_run("a-3", encoder="opera_gt", skill=0.3, seeds=(0,)),
        make_run("b-1", encoder="hear", unit="probability", task="tb_probability", known=False),
    ]
    return html_page(make_content([read_run(path) for path in paths], ["/runs/x is unfinished"]))


class Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.ids: set[str] = set()
        self.tags: set[str] = set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        for name, value in attrs:
            if name in ("src", "href", "xlink:href", "srcset", "data", "action", "poster"):
                self.found.append(value)
            if name == "id":
                self.ids.add(value)


def test_the_page_needs_nothing_but_itself(page):
    links = Links()
    links.feed(page)
    outside = [link for link in links.found if not link.startswith(("#", "data:image/"))]
    assert outside == []
    assert {link[1:] for link in links.found if link.startswith("#")} <= links.ids
    assert not links.tags & {"link", "iframe", "object", "embed", "base"}
    assert set(re.findall(r"url\((.)", page)) <= {"#"}
    assert "@import" not in page
    assert "http" not in page


def test_names_from_data_can_not_become_markup(make_run):
    run = read_run(make_run(encoder="<script>alert(1)</script>", corpus="<b>&"))
    page = html_page(make_content([run]))
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_the_same_runs_give_the_same_page(make_run):
    run = read_run(make_run())
    assert html_page(make_content([run])) == html_page(make_content([run]))


def test_everything_a_reader_needs_is_on_the_page(page):
    for text in (
        "Predicted against true",
        "Error by age and sex",
        "Cohort",
        "Set aside",
        "is digital silence",
        "Left out",
        "/runs/x is unfinished",
        "What the numbers mean",
        "Too few: ",
        "Subjects unknown",
    ):
        assert text in page


@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_does_not_scroll_sideways(page, browse, width):
    answer = browse(
        page,
        """
        const root = page.documentElement;
        for (const details of page.querySelectorAll("details")) details.open = true;
        return {
          page: root.scrollWidth, view: view.innerWidth,
          plots: [...page.querySelectorAll("svg.plot")].map((plot) =>
            plot.getBoundingClientRect().right <= view.innerWidth && plot.clientWidth > 200),
          size: parseFloat(view.getComputedStyle(page.querySelector("p.lead")).fontSize),
        };
        """,
        width=width,
    )
    assert answer["page"] <= answer["view"] == width
    assert len(answer["plots"]) == 9  # one comparison, four runs with two plots each
    assert all(answer["plots"])
    assert answer["size"] >= 16


def test_a_press_on_a_heading_sorts_and_a_second_one_turns_it_round(page, browse):
    answer = browse(
        page,
        """
        const table = page.querySelector("table.sortable");
        const heads = [...table.tHead.rows[0].cells];
        const column = (name) => heads.findIndex((head) => head.textContent.trim() === name);
        const press = (name) => heads[column(name)].querySelector("button").click();
        const read = (name) => [...table.tBodies[0].rows].map(
          (row) => row.cells[column(name)].firstChild.textContent);
        const answers = {};
        press("MAE"); answers.up = read("MAE");
        answers.mark = heads[column("MAE")].getAttribute("aria-sort");
        press("MAE"); answers.down = read("MAE");
        press("encoder"); answers.names = read("encoder");
        answers.marks = heads.filter((head) => head.hasAttribute("aria-sort")).length;
        return answers;
        """,
        width=1280,
    )
    values = [float(text.split()[0]) for text in answer["up"]]
    assert values == sorted(values)
    assert answer["down"] == answer["up"][::-1]
    assert answer["mark"] == "ascending"
    assert answer["names"] == ["hear", "mel_stats", "opera_ct", "opera_gt"]
    assert answer["marks"] == 1


def test_random_weights_are_never_shown_as_above_the_median(make_run):
    run = read_run(make_run(weights="random", weights_real=False))
    assert run.scores.against_baseline == "above"
    assert 'class="number above"' not in html_page(make_content([run]))
    real = read_run(make_run("real"))
    assert 'class="number above"' in html_page(make_content([real]))
