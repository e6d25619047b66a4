import pytest

from raqa.errors import UserError
from raqa.reports.recipes.published import published_text, read_published


def test_a_row_per_cell(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("corpus,target,encoder,mae_mean,mae_std\ncidrz,age,hear,10.29,0.04\n")
    found = read_published(path).error("cidrz", "age", "mlp_small", "hear")
    assert (found.mean, found.sd) == (10.29, 0.04)
    assert read_published(path).error("cidrz", "bmi", "mlp_small", "hear") is None


def test_a_column_per_encoder(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("corpus,target,head,hear,opera_ct\ncidrz,age,linear,10.58,10.47\n")
    published = read_published(path)
    assert published.error("cidrz", "age", "linear", "opera_ct").mean == 10.47
    assert published.error("cidrz", "age", "mlp", "opera_ct") is None


def test_a_row_per_direction(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(
        "train_on,test_on,encoder,cross_mae,within_mae,gap\ncidrz,coswara,hear,11.55,9.12,2.43\n"
    )
    found = read_published(path).directions["cidrz", "coswara"]
    assert (found.encoder, found.cross, found.within, found.gap) == ("hear", 11.55, 9.12, 2.43)


def test_a_row_per_number_of_answers_of_everything_or_of_one_attribute(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("question_type,metric,head,value\nnumbers,mae,fusion,8.06\n")
    assert read_published(path).answers == {("numbers", "mae", "fusion"): 8.06}
    path.write_text(
        "corpus,attribute,question_type,metric,head,value\n"
        "icbhi,diagnosis,open_ended,macro_f1,fusion,0.07\n"
    )
    found = read_published(path).answers
    assert found == {("icbhi / diagnosis / open_ended", "macro_f1", "fusion"): 0.07}
    path.write_text("question_type,metric,head,value\na,b,c,ten\na,b,c,1\na,b,c,2\n")
    with pytest.raises(UserError, match="ten is no number") as caught:
        read_published(path)
    assert "a, b, c stands in line 2 too" in str(caught.value.problems)


def test_other_columns_are_refused_with_what_was_expected(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(UserError, match=r"has columns a, b; expected are train_on.*mae_mean"):
        read_published(path)
    path.write_text("")
    with pytest.raises(UserError, match="can not be read as published numbers"):
        read_published(path)


@pytest.mark.parametrize(
    "header",
    [
        "corpus,target,encoder,mae_mean",
        "corpus,target,head,hear",
        "train_on,encoder,test_on,cross_mae,within_mae,gap",
    ],
)
def test_all_faulty_rows_are_named_with_their_lines(header, tmp_path):
    path = tmp_path / "t.csv"
    rest = ",1,2" if "gap" in header else ""
    rows = ["a,b,c,10.2", "a,b,d,ten", "e,x,c,nan", "a,b,c,10.3"]
    path.write_text("\n".join([header, *(row + rest for row in rows)]))
    with pytest.raises(UserError) as caught:
        read_published(path)
    ten, nan, twice = caught.value.problems
    assert "line 3" in ten
    assert "=ten is no number" in ten
    assert "line 4" in nan
    assert "line 5: a, " in twice
    assert "stands in line 2 too" in twice


def test_nothing_published_is_no_number():
    assert read_published(None).error("cidrz", "age", "linear", "hear") is None


@pytest.mark.parametrize(("value", "text"), [(10.4, "10.40"), (0.188, "0.188"), (-0.17, "−0.17")])
def test_a_published_number_keeps_its_decimals(value, text):
    assert published_text(value) == text
