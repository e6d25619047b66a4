// Browse, filter, hear and see questions. Everything of a corpus becomes text, never markup.
const { rows, media } = JSON.parse(document.getElementById("data").textContent);
const PER_PAGE = 20;
const find = (id) => document.getElementById(id);
const say = (name) => (name ?? "none").replaceAll("_", " ");
const canHear = (row) => Boolean(row.medium && media[row.medium].sound);
const filters = {
  corpus: (row) => row.corpus,
  attribute: (row) => row.attribute,
  question_type: (row) => row.question_type,
  split: (row) => row.split ?? "none",
  medium: (row) => canHear(row) ? "can be heard" : "not here",
};
const searched = rows.map((row) =>
  [row.question, row.answer, row.recording_id, row.subject_id, row.label, row.qa_id]
    .join("\n").toLowerCase());
let page = 0;

const make = (tag, className, text) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
};

const choices = (name) => {
  const counts = new Map();
  for (const row of rows) counts.set(filters[name](row), (counts.get(filters[name](row)) ?? 0) + 1);
  const select = find(name);
  select.append(new Option("all", ""));
  for (const value of [...counts.keys()].sort()) {
    select.append(new Option(`${say(value)} (${counts.get(value).toLocaleString("en")})`, value));
  }
};

const chosen = () => {
  const words = find("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = Object.keys(filters).filter((name) => find(name).value !== "");
  return rows.filter((row, place) =>
    wanted.every((name) => filters[name](row) === find(name).value)
    && words.every((word) => searched[place].includes(word)));
};

const sound = (row) => {
  const box = make("div");
  const medium = row.medium && media[row.medium];
  if (!canHear(row)) {
    box.append(make("p", "told", medium ? medium.told : "the recording was not copied"));
    return box;
  }
  const audio = make("audio");
  audio.controls = true;
  audio.preload = "none";
  audio.src = medium.sound;
  audio.addEventListener("play", () => {
    for (const other of document.querySelectorAll("audio")) if (other !== audio) other.pause();
  });
  const picture = make("img");
  picture.src = medium.picture;
  picture.loading = "lazy";
  picture.alt = `Spectrogram of ${row.recording_id}, ${medium.told}`;
  box.append(audio, picture, make("p", "told", medium.told));
  return box;
};

const card = (row) => {
  const item = make("li");
  const said = make("div");
  const chips = make("ul", "chips");
  const label = row.value === null ? row.label : `${row.value} ${row.unit ?? ""}`;
  for (const text of [row.corpus, say(row.attribute), say(row.question_type), say(row.split), label]) {
    if (text) chips.append(make("li", "", text));
  }
  said.append(
    make("p", "question", row.question),
    make("p", "answer", row.answer),
    chips,
    make("p", "told", `recording ${row.recording_id}, subject ${row.subject_id}`),
    make("p", "told", `${row.qa_id} · ${row.template_id}`),
  );
  item.append(said, sound(row));
  return item;
};

const show = () => {
  const found = chosen();
  const pages = Math.max(1, Math.ceil(found.length / PER_PAGE));
  page = Math.min(Math.max(page, 0), pages - 1);
  const first = page * PER_PAGE;
  find("cards").replaceChildren(...found.slice(first, first + PER_PAGE).map(card));
  find("count").textContent = found.length === rows.length
    ? `${found.length.toLocaleString("en")} questions`
    : `${found.length.toLocaleString("en")} of ${rows.length.toLocaleString("en")} questions`;
  find("place").textContent = `page ${page + 1} of ${pages}`;
  find("back").disabled = page === 0;
  find("next").disabled = page === pages - 1;
};

const turn = (step) => {
  page += step;
  show();
  find("count").scrollIntoView();
};

Object.keys(filters).forEach(choices);
find("filters").addEventListener("input", () => { page = 0; show(); });
find("filters").addEventListener("reset", () => setTimeout(() => { page = 0; show(); }));
find("filters").addEventListener("submit", (event) => event.preventDefault());
find("back").addEventListener("click", () => turn(-1));
find("next").addEventListener("click", () => turn(1));
show();
