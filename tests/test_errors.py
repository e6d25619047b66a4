"""Messages for what a user can mend."""

from raqa.errors import UserError, neighbours


def test_near_names_come_first_then_all_in_order() -> None:
    text = neighbours("mlp_smal", ["mlp", "linear", "mlp_small"])
    assert text == "Did you mean mlp_small? Choices: linear, mlp, mlp_small"


def test_nothing_near_lists_the_choices() -> None:
    assert neighbours("zzz", ["b", "a"]) == "Choices: a, b"
    assert "nothing to choose from" in neighbours("zzz", [])


def test_several_problems_are_one_error() -> None:
    error = UserError(["first", "second"])
    assert error.problems == ("first", "second")
    assert str(error) == "first\nsecond"
