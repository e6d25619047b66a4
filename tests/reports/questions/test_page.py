import re

import pytest

from raqa.errors import UserError
from raqa.questions.browse import draw
from raqa.reports.questions.audit import QuestionAudit, audit_questions
from raqa.reports.questions.page import write_page

from .conftest import HOSTILE


@pytest.fixture
def page(questions, recordings, tmp_path) -> str:
    audit = QuestionAudit(HOSTILE, audit_questions(questions, resamples=20), [HOSTILE])
    drawn = draw(questions, at_hand=recordings.filter(recordings["audio"]))
    path = write_page(audit, drawn, recordings, tmp_path / "out", most_recordings=9)
    (path.parent / "media").rename(tmp_path / "media")  # the browser's frame lies there
    return path.read_text(encoding="utf-8")


def test_the_page_loads_nothing_but_the_files_beside_it(page):
    assert "http" not in page
    assert not re.findall(r"<(link|iframe|object|embed|base)\b", page)
    assert re.findall(r'"(?:sound|picture)": "([^"]+)"', page)
    assert all(re.fullmatch(r"media/[0-9a-f]{24}\.(wav|png)", name)
               for name in re.findall(r'"(?:sound|picture)": "([^"]+)"', page))  # fmt: skip


def test_names_from_data_can_not_become_markup(page, browse):
    assert HOSTILE not in page
    assert "<img src=x" not in page
    answer = browse(
        page,
        """
        page.getElementById("search").value = "onerror";
        page.getElementById("filters").dispatchEvent(new Event("input", {bubbles: true}));
        return {images: page.querySelectorAll("img[src=x]").length,
                title: page.title,
                heading: page.querySelector("h1").textContent,
                questions: [...page.querySelectorAll(".question")].map((q) => q.textContent)};
        """,
        width=1280,
    )
    assert answer["images"] == 0
    assert answer["title"] == f"{HOSTILE} · raqa questions"
    assert answer["heading"] == HOSTILE
    assert f"Is there asthma {HOSTILE}?" in answer["questions"]


@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_does_not_scroll_sideways(page, browse, width):
    answer = browse(
        page,
        """
        for (const details of page.querySelectorAll("details")) details.open = true;
        const inside = (element) => element.getBoundingClientRect().right <= view.innerWidth;
        return {page: page.documentElement.scrollWidth, view: view.innerWidth,
                audio: [...page.querySelectorAll("audio")].map(inside),
                cards: page.querySelectorAll("#cards > li").length,
                fields: [...page.querySelectorAll("#filters label > *")].map(inside)};
        """,
        width=width,
    )
    assert answer["page"] <= answer["view"] == width
    assert answer["cards"] == 20
    assert answer["audio"]
    assert all(answer["audio"])
    assert all(answer["fields"])


def test_pages_turn_and_filters_count_what_they_leave(page, browse):
    answer = browse(
        page,
        """
        const find = (id) => page.getElementById(id);
        const choose = (id, value) => {
          find(id).value = value;
          find(id).dispatchEvent(new Event("input", {bubbles: true}));
        };
        const first = () => page.querySelector("#cards .told:last-child").textContent;
        const said = {all: find("count").textContent, place: find("place").textContent};
        const before = first();
        find("next").click();
        said.second = find("place").textContent;
        said.turned = first() !== before;
        said.types = [...find("question_type").options].map((option) => option.textContent);
        choose("question_type", "single_verify");
        said.verify = find("count").textContent;
        said.back = find("place").textContent;
        choose("split", "test");
        said.test = find("count").textContent;
        choose("search", "no such words");
        said.none = find("count").textContent;
        choose("search", ""); choose("split", ""); choose("question_type", "");
        choose("medium", "not here");
        said.silent = find("count").textContent;
        return said;
        """,
        width=1280,
    )
    assert (answer["all"], answer["place"]) == ("60 questions", "page 1 of 3")
    assert answer["second"] == "page 2 of 3"
    assert answer["turned"]
    assert answer["types"] == ["all", "open ended (50)", "single verify (10)"]
    assert answer["verify"] == "10 of 60 questions"
    assert answer["back"] == "page 1 of 1"
    assert answer["test"] == "4 of 60 questions"
    assert answer["none"] == "0 of 60 questions"
    assert answer["silent"] == "20 of 60 questions"  # of the empty and of the absent recording


def test_the_browser_plays_the_sound_and_shows_the_picture(page, browse):
    answer = browse(
        page.replace('audio.preload = "none"', 'audio.preload = "auto"').replace(
            'picture.loading = "lazy";', ""
        ),
        """
        return {seconds: [...page.querySelectorAll("audio")].map((audio) => audio.duration),
                pictures: [...page.querySelectorAll("#cards img")].map((p) => p.naturalWidth),
                errors: [...page.querySelectorAll("audio")].filter((audio) => audio.error).length};
        """,
        width=1280,
    )
    assert answer["errors"] == 0
    assert {round(seconds, 3) for seconds in answer["seconds"]} == {1.0, 0.25}
    assert min(answer["pictures"]) > 400


def test_recordings_beyond_the_wanted_ones_are_counted(questions, recordings, tmp_path):
    drawn = draw(questions)
    path = write_page(QuestionAudit("x", []), drawn, recordings, tmp_path / "out",
                      most_recordings=2)  # fmt: skip
    assert len(list((path.parent / "media").glob("*.wav"))) <= 2
    assert "3 more are left out" in path.read_text(encoding="utf-8")


def test_a_folder_with_other_things_is_left_alone(questions, recordings, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.docx").write_text("dear to me")
    with pytest.raises(UserError, match=r"thesis\.docx"):
        write_page(QuestionAudit("x", []), draw(questions), recordings, tmp_path / "out",
                   most_recordings=2)  # fmt: skip
