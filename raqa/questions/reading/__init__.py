"""Read answers: from what was said to the label or number that it means.

The rules, of which the first that fits decides:

1. Nothing came back (null): unscored. No word or number in it: unreadable.
2. Form counts for nothing: case, punctuation, markdown, articles, plural and -ing, typographic
   signs, thoughts between <think> marks. Neighbouring words that stand so in the question are an
   echo of it and name no label, number or negation, unless they are an offered text or the name
   of a label. Of JSON the answer field is read; after "the answer is" what follows it.
3. Exactly a label, or what it is called, an offered text, or a sentence that the collection uses
   for a label: that label, in any language.
4. Another language than English otherwise: unreadable.
5. Clauses that decline ("I cannot determine", "I do not know") or send to a doctor are put aside.
   If the rest answers, that is the answer; if it does not, refused.
6. Yes or no (single-verify questions and binary attributes): the first word decides, whatever
   follows; both, or another one standing by itself later, is unreadable. Without such a word a
   statement about what was asked is yes, a negated one no, two negations in a clause or a "maybe"
   unreadable. A statement that names another label than the asked one is no where labels exclude
   each other, unreadable where there may be several.
7. Multiple choice: a letter of the options (A, (b), "option C", "B) ..."), their number after
   "option", or their text. A letter beside the text of another option is unreadable.
8. Labels: every label that is named and not denied. Of overlapping names the longest counts.
   Several are one answer where an attribute may have several labels, in the registry's order,
   else unreadable. A label that is only denied names none.
9. Numbers: in digits (decimal point or comma, thousands) or words, with a unit of the attribute or
   none, which is the canonical one; "about" is ignored, "1 year and 2 months" is a sum. A range, a
   bound ("over 40"), several numbers, a unit that the attribute does not have, or a number outside
   the believable range: unreadable.

Options that are no labels of an attribute, as exams offer them, are read by rules of their own:
raqa.questions.reading.choice.
"""

from raqa.questions.reading.choice import read_choice
from raqa.questions.reading.facts import QuestionFacts, facts_about
from raqa.questions.reading.read import Outcome, Reading, read_answer
from raqa.questions.reading.table import Vocabulary, read_answers

__all__ = [
    "Outcome",
    "QuestionFacts",
    "Reading",
    "Vocabulary",
    "facts_about",
    "read_answer",
    "read_answers",
    "read_choice",
]
