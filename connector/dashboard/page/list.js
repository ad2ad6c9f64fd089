// The table of publications: a page of the worker's list, or what a search through all of it finds.

const pageSize = 50;
const scanSize = 1000; // the most that the worker gives at once
const foundMost = 200;

const list = {
  after: [], // the cursors of the pages before this one; the last is this page's
  rows: new Map(), // id -> the row shown and what it was made from
  key: "", // the question that the rows shown answer
  scan: null, // the search under way, to be stopped when the question changes
  scanned: 0, // when the last search through several pages ended: it is not made again at every poll
};

const listKey = () => JSON.stringify([page.view.state, page.view.find, list.after.at(-1) ?? ""]);

// refreshList asks for what the view shows. An answer that comes when the view has moved on is dropped.
async function refreshList() {
  const key = listKey();
  const { state, find } = page.view;
  byID("table").setAttribute("aria-busy", String(key !== list.key));
  if (find.trim()) {
    await search(key, state, find.trim().toLowerCase());
    return;
  }
  const after = list.after.at(-1) ?? "";
  let answer;
  try {
    answer = await ask(listPath(state, after, pageSize));
  } catch (err) {
    if (err.status === 400 && key === listKey()) list.after = []; // a cursor that the worker no longer takes
    throw err;
  }
  if (key !== listKey()) return;
  const publications = answer.publications ?? [];
  if (!publications.length && list.after.length) { // the page has emptied since
    list.after.pop();
    await refreshList();
    return;
  }
  const from = (list.after.length) * pageSize;
  const place = publications.length ? number(from + 1) + "–" + number(from + publications.length) : "";
  showRows(key, publications, place, answer.after ?? "");
}

async function search(key, state, words) {
  if (list.key === key && list.scanned && Date.now() - list.scanned < 30000) return;
  list.scan?.abort();
  const scan = new AbortController();
  list.scan = scan;
  const found = [];
  let looked = 0;
  let pages = 0;
  let after = "";
  do {
    const answer = await ask(listPath(state, after, scanSize), { signal: scan.signal });
    if (key !== listKey()) return;
    const publications = answer.publications ?? [];
    for (const p of publications) if (matches(p, words)) found.push(p);
    looked += publications.length;
    pages++;
    after = answer.after ?? "";
    if (after && list.key !== key) tell(byID("place"), "searched " + number(looked) + " …");
  } while (after && found.length < foundMost);
  list.scanned = pages > 1 ? Date.now() : 0;
  const shown = found.slice(0, foundMost);
  showRows(key, shown,
    shown.length ? count(shown.length, "match", "matches") + (after ? ", and there may be more" : "") : "", "");
}

const matches = (p, words) =>
  [p.title, p.id, p.shopId, p.error, p.url].some((text) => String(text ?? "").toLowerCase().includes(words));

function showRows(key, publications, place, after) {
  const context = JSON.stringify([page.view.state, page.view.find]); // the links of a row lead back to it
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

  byID("table").setAttribute("aria-busy", "false");
  byID("table").classList.toggle("bare", !publications.length);
  showEmpty(publications.length === 0);
  tell(byID("place"), place);
  byID("on").dataset.after = after;
  byID("on").disabled = !after;
  byID("back").disabled = !list.after.length || Boolean(page.view.find);
}

function rowOf(p) {
  const address = webAddress(p.url);
  return el("tr", { "data-state": p.state },
    el("th", { scope: "row" },
      el("a", { href: hashOf({ ...page.view, id: p.id }) }, el("bdi", {}, p.title || "(no title)")),
      el("span", { class: "under" }, el("span", { class: "id" }, el("bdi", {}, p.id)),
        address ? outside(p.url, "in the shop ↗") : null)),
    el("td", { "data-label": "State" }, badge(p.state)),
    el("td", { "data-label": "Why", class: p.error ? "why" : "why nothing" }, p.error ? el("bdi", {}, p.error) : null),
    el("td", { "data-label": "Reported" }, p.reported || "not yet"),
    el("td", { "data-label": "Next look" }, when(p.nextAttemptAt, { none: "–", due: true })));
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
    then = "The search looks at titles, ids, addresses and messages" + (state ? " of what is " + state : "") + ".";
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
