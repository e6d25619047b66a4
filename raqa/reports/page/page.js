// Sort a table by the column whose heading is pressed; cells without a number stay last.
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  heads.forEach((head, column) => head.firstElementChild.addEventListener("click", () => {
    const sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
    const numeric = head.classList.contains("number");
    const text = (row) => row.cells[column].textContent;
    const value = (row) => row.cells[column].dataset.order ?? null;
    const rows = [...body.rows].sort((a, b) => {
      if (!numeric) return sign * text(a).localeCompare(text(b));
      if (value(a) === null || value(b) === null) return (value(a) === null) - (value(b) === null);
      return sign * (Number(value(a)) - Number(value(b)));
    });
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", sign === 1 ? "ascending" : "descending");
    body.append(...rows);
  }));
}

// A link to a run opens it; on paper everything is open.
const show = () => {
  const target = location.hash && document.getElementById(location.hash.slice(1));
  if (target) target.open = true;
};
addEventListener("hashchange", show);
show();
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});
