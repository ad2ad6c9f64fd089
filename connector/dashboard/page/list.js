// The table of publications: a page of the worker's list, which the worker searches.

const pageSize = 50;

const list = {
  after: [], // the cursors of the pages before this one; the last is this page's
  rows: new Map(), // id -> the row shown and what it was made from
  key: "", // the question that the rows shown answer
};

const listKey = () =>
  JSON.stringify([page.view.state, page.view.find, list.after.at(-1) ?? ""]);

// refreshList asks for what the view shows. An answer that comes when the view has moved on is dropped.
async function refreshList() {
  const key = listKey();
  byID("table").setAttribute("aria-busy", String(key !== list.key));
  let answer;
  try {
    answer = await ask(listPath(page.view, list.after.at(-1) ?? "", pageSize));
  } catch (err) {
    if (err.status === 400 && key === listKey()) list.after = []; // a cursor that the worker no longer takes
    throw err;
  }
  if (key !== listKey()) return;
  const publications = answer.publications ?? [];
  if (!publications.length && list.after.length && !answer.unfinished) { // the page has emptied since
    list.after.pop();
    await refreshList();
    return;
  }
  const from = list.after.length * pageSize;
  const shown = publications.length ? number(from + 1) + "–" + number(from + publications.length) : "";
  const total = Math.max(Number(answer.total) || 0, from + publications.length);
  const all = page.view.find // how many a search finds in all is not known
    ? answer.after ? " and perhaps more" : "" : shown && " of " + number(total);
  const place = answer.unfinished ? "The list is long: Next searches on." : shown + all;
  showRows(key, publications, place, answer.after ?? "");
}

function showRows(key, publications, place, after) {
  // the links of a row lead back to it
  const context = JSON.stringify([page.view.state, page.view.find]);
  const rows = new Map();
  const focused = document.activeElement?.closest?.("#rows tr");
  let refocus = null;
  for (const p of publications) {
    const made = JSON.stringify(p) + context;
    let row = list.rows.get(p.id);
    if (row?.made !== made) {
      const element = rowOf(p);
      if (row && row.element === focused) refocus = element;
      row = { made, element };
    }
    rows.set(p.id, row);
  }
  list.rows = rows;
  list.key = key;
  arrange(byID("rows"), [...rows.values()].map((r) => r.element));
  refocus?.querySelector("a").focus();

  showChosen();
  byID("table").setAttribute("aria-busy", "false");
  byID("table").classList.toggle("bare", !publications.length);
  showEmpty(publications.length === 0);
  tell(byID("place"), place);
  byID("on").dataset.after = after;
  byID("on").disabled = !after;
  byID("back").disabled = !list.after.length;
}

function rowOf(p) {
  const address = webAddress(p.url);
  const cell = (label, nothing, ...content) =>
    el("td", { "data-label": label, class: nothing && "nothing" }, content);
  const figure = (label, value) =>
    el("td", { "data-label": label, class: value === null ? "number nothing" : "number" }, value);
  return el("tr", { "data-state": p.state },
    el("td", { class: "pick" }, chooser(p)),
    el("th", { scope: "row" }, el("div", { class: "product" },
      thumbnail(p.thumbnail),
      el("div", {},
        el("a", { href: hashOf({ ...page.view, id: p.id }) }, el("bdi", {}, p.title || "(no title)")),
        el("span", { class: "under" }, el("span", { class: "id" }, el("bdi", {}, p.id)),
          address ? outside(p.url, "in the shop ↗") : null)))),
    cell("State", false, badge(p.state),
      p.reported === "success" ? null // as it should be
        : el("span", { class: "under dim" },
          p.reported ? ["reported ", el("bdi", {}, p.reported)] : "not reported yet")),
    figure("Price", priceOf(p)),
    figure("Stock", stockOf(p)),
    figure("Margin", typeof p.marginPercent === "number" ? percent(p.marginPercent) : null),
    el("td", { "data-label": "Why", class: p.error ? "why" : "why nothing" }, p.error ? el("bdi", {}, p.error) : null),
    cell("Changed", false, momentOf(p.updatedAt) ? when(p.updatedAt) : "–",
      p.nextAttemptAt && p.state !== "live"
        ? el("span", { class: "under dim" }, "next look ", when(p.nextAttemptAt, { due: true })) : null));
}

// thumbnail is the product's first picture, which says nothing that the title does not.
function thumbnail(address) {
  const href = webAddress(address ?? "");
  const shown = href && (href.startsWith("https:") || new URL(href).origin === document.body.dataset.pictures);
  if (!shown) return el("span", { class: "thumb", "aria-hidden": "true" });
  const made = el("img", { class: "thumb", alt: "", width: 44, height: 44, loading: "lazy", decoding: "async",
    referrerpolicy: "no-referrer", src: href });
  made.addEventListener("error", () => made.replaceWith(el("span", { class: "thumb", "aria-hidden": "true" })));
  return made;
}

function priceOf(p) {
  if (!p.priceFrom) return null;
  return [el("bdi", {}, p.priceFrom), p.priceTo && p.priceTo !== p.priceFrom
    ? [" – ", el("bdi", {}, p.priceTo)] : null];
}

function stockOf(p) {
  if (typeof p.stock !== "number") return null;
  return [number(p.stock), p.backorders ? el("span", { class: "dim" }, " +", el("span", { class: "unseen" },
    " and on order")) : null];
}

// showEmpty says why there is nothing to see, and what would change that.
function showEmpty(empty) {
  const box = byID("empty");
  box.hidden = !empty;
  if (!empty) return;
  const { state, find } = page.view;
  let [what, then] = ["The import list is empty.", "Put products on it at the marketplace; a sweep brings them here."];
  if (page.status && !momentOf(page.status.sweeps?.incremental?.at) && !momentOf(page.status.sweeps?.full?.at)) {
    [what, then] = ["Nothing is here yet.", "The import list is being read."];
  }
  if (state) [what, then] = [stateNamed(state).none, stateNamed(state).meaning];
  if (find) {
    what = "Nothing matches “" + find + "”.";
    then = "The search looks at titles and ids" + (state ? " of what is " + state : "") + ".";
  }
  tell(box.children[0], what);
  tell(box.children[1], then);
}

function showListHead() {
  const { state, find } = page.view;
  tell(byID("list-title"), state ? state[0].toUpperCase() + state.slice(1) : "Publications");
  tell(byID("meaning"), state ? stateNamed(state).meaning : "");
  if (byID("find").value !== find && document.activeElement !== byID("find")) byID("find").value = find;
}
