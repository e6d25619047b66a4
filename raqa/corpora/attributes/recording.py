"""Recording context: device, place on the body, surroundings, quality of the signal."""

from __future__ import annotations

from raqa.corpora.attributes.definition import Attribute, Family, words, yes_no

_FAMILY: Family = "recording"

_CHEST = {
    f"{front}_{side}{height and '_'}{height}": f"{front} {side}{height and ' '}{height}"
    for front in ("anterior", "posterior", "lateral")
    for side in ("left", "right")
    for height in ("", "upper", "middle", "lower")
}

RECORDING: tuple[Attribute, ...] = (
    words("quality", _FAMILY, "annotated recording quality",
          {"0": "bad", "1": "good", "2": "excellent"}, "ordinal"),
    words("expert_quality", _FAMILY, "recording quality as experts heard it", {
        "no_cough": "no cough", "poor": "poor", "ok": "acceptable", "good": "good"}, "ordinal"),
    words("chest_location", _FAMILY, "place on the chest", {"trachea": "trachea", **_CHEST}),
    words("heart_location", _FAMILY, "auscultation location", {
        "AV": "the aortic valve", "PV": "the pulmonary valve", "TV": "the tricuspid valve",
        "MV": "the mitral valve", "Phc": "another place"}),
    words("channel", _FAMILY, "channel of a recording with several, as the corpus names it"),
    words("device", _FAMILY, "recording device"),
    words("filter", _FAMILY, "filter of the electronic stethoscope", {
        "bell": "bell mode", "diaphragm": "diaphragm mode", "extended": "extended mode"}),
    words("acquisition", _FAMILY, "how many channels were recorded at once", {
        "single": "a single channel", "multi": "several channels"}),
    words("microphone", _FAMILY, "direction of the microphone", {
        "body": "towards the body", "outward": "away from the body"}),
    words("noise", _FAMILY, "background noise", {
        "none": "none", "traffic": "traffic", "music": "music", "someone_else_coughing":
        "somebody else coughing"}),
    words("movement", _FAMILY, "what the subject does", {"sitting": "sitting", "walking":
          "walking"}),
    words("body_position", _FAMILY, "position of the sleeper", {
        "supine": "supine", "supine_head_left": "supine with the head to the left",
        "supine_head_right": "supine with the head to the right", "left": "on the left side",
        "right": "on the right side", "prone": "prone"}),
    words("exercise", _FAMILY, "state of the subject", {"rest": "at rest",
          "exercise": "after exercise"}),
    words("source", _FAMILY, "way by which the recording came"),
    yes_no("returning_user", _FAMILY, "has taken part before, as told"),
    yes_no("mask", _FAMILY, "wears a mask"),
    yes_no("verified", _FAMILY, "the status was verified by a laboratory"),
)  # fmt: skip
