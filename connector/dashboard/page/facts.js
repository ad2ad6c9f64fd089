// The cards below the verdict: sweeps, budget, webhook, both sides and the store.

function showFacts() {
  const s = page.status;
  if (!s) return;
  for (const card of cards) card.fill(s);
  refill(byID("foot"), footer(s));
}

// A card is a heading, a list of terms that each poll fills anew, and buttons that stay.
function card(title, rows, ...buttons) {
  const list = el("dl");
  const made = el("section", { class: "card" }, el("h2", {}, title), list,
    buttons.length ? el("div", { class: "actions" }, buttons) : null);
  return {
    made,
    fill: (s) =>
      refill(list,
        rows(s).filter(Boolean).map(([term, ...value]) => el("div", {}, el("dt", {}, term), el("dd", {}, value)))),
  };
}

const trouble = (text) => text && el("span", { class: "trouble" }, el("bdi", {}, text));

function side(s) {
  if (!s?.paused) return s?.warning ? ["in use; ", trouble(s.warning)] : ["in use"];
  return [
    trouble(s.reason || "paused"),
    momentOf(s.since) ? el("span", { class: "dim" }, " since ", when(s.since)) : null,
    momentOf(s.until) ? el("span", { class: "dim" }, " tried again ", when(s.until, { due: true })) : null,
  ];
}

function sweepRow(entry) {
  if (!momentOf(entry?.at)) return ["not yet"];
  return [when(entry.at), el("span", { class: "dim" }, " · " + number(entry.listed) + " listed"),
    entry.error && el("br"), trouble(entry.error)];
}

function budget(b) {
  const limit = Number(b?.limit) || 0;
  if (!limit) return [["Points", "not known before the first answer"]];
  const left = Math.min(Math.max(Number(b.remaining) || 0, 0), limit);
  const fill = el("div");
  fill.style.width = (100 * left) / limit + "%";
  const meter = el("div", {
    class: "bar", role: "meter", "aria-label": "Points left", "aria-valuemin": 0, "aria-valuemax": limit,
      "aria-valuenow": Math.round(left),
  }, fill);
  return [
    ["Points left", number(Math.round(left)) + " of " + number(limit), meter],
    ["Restored", number(b.restoreRate) + " a second"],
  ];
}

function webhook(w) {
  if (!w?.url) return [["Address",
    "none is registered: changes are found by sweeps, and by webhooks that were set up at the marketplace by hand"]];
  const state = w.error ? trouble(w.error) : w.active ? "registered and active" : "not looked at yet";
  return [["Address", el("bdi", { class: "address" }, w.url)], ["State", state],
    momentOf(w.checkedAt) && ["Looked at", when(w.checkedAt)]];
}

// What a comparison found, in words where the kind alone does not say it.
const driftWords = {
  again: "the same again", edited: "texts edited", hidden: "taken out of sale", missing: "deleted",
  pictures: "pictures lost", shown: "put on sale again",
};

function compared(c) {
  if (!momentOf(c?.at)) return [["Compared", "not yet"]];
  const found = Object.keys(c.found ?? {}).sort().filter((kind) => kind !== "held");
  const left = c.recurring ?? [];
  return [
    ["Compared", when(c.at)],
    ["Changed by hand", found.length
      ? found.map((kind) => (driftWords[kind] ?? kind) + " " + number(c.found[kind])).join(", ") : "nothing was"],
    Number(c.held) > 0 && ["Held", count(Number(c.held), "product has", "products have"),
      " a price of the shop’s own: it is put back once you approve it"],
    left.length > 0 && ["Left alone", "the shop changes these each time that they are put right: ",
      left.slice(0, 5).map((id, i) =>
        [i ? ", " : "", el("a", { href: hashOf({ ...page.view, id }) }, el("bdi", {}, id))]),
      left.length > 5 ? " and " + number(left.length - 5) + " more" : null],
  ];
}

const cards = [
  card("Work", (s) => [
    ["Due now", number(s.due), " ", el("span", { class: "dim" }, s.due === 1 ? "publication" : "publications")],
    ["Reports owed", number(s.outbox), " ", el("span", { class: "dim" }, "to the marketplace"),
      Number(s.refused) > 0 && [", ", trouble(number(s.refused) + " of them refused")]],
    Number(s.rules?.figures) > 0 &&
      ["New prices", count(Number(s.rules.figures), "publication waits", "publications wait"), " for the new rules"],
    ["Shop", s.shop?.name ? [el("bdi", {}, s.shop.name), ", "] : "", side(s.shop)],
    ["Marketplace", side(s.marketplace)],
    s.store?.error && ["Store", trouble(s.store.error)],
  ]),
  card("Sweeps", (s) => [
    ["Changes", sweepRow(s.sweeps?.incremental)],
    ["Whole list", sweepRow(s.sweeps?.full)],
    momentOf(s.sweeps?.next) && ["Next", when(s.sweeps.next, { due: true }),
      momentOf(s.sweeps.nextFull)
        ? [el("span", { class: "dim" }, " · the whole list "), when(s.sweeps.nextFull, { due: true })] : null],
  ], button("Sweep now", () => sweep(false)),
    button("Whole list", () => sweep(true), { title: "Enumerates the whole list and finds removals" })),
  card("Comparison with the shop", (s) => compared(s.compared)),
  card("Cost budget", (s) => budget(s.budget)),
  card("Webhook", (s) => webhook(s.webhook)),
  card("Last error", (s) => (s.lastError?.message
    ? [["Message", el("bdi", { class: "message" }, s.lastError.message)], ["When", when(s.lastError.at)]]
    : [["Message", "none since the worker was started"]])),
];

function footer(s) {
  return [
    "pubsync ", el("bdi", {}, s.version || "of an unknown version"),
    momentOf(s.startedAt) ? el("span", {}, " · started ", when(s.startedAt)) : "",
    s.store?.path
      ? el("span", {}, " · store ", el("bdi", { class: "address" }, s.store.path), " (" + size(s.store.bytes) + ")")
        : "",
  ];
}

function size(bytes) {
  const mib = (Number(bytes) || 0) / (1 << 20);
  return mib < 1 ? number(Math.ceil(mib * 1024)) + " KiB" : number(mib) + " MiB";
}

// probeCatalogue shows the link to the shop's own pages where the worker serves them.
async function probeCatalogue() {
  try {
    const answer = await fetch(byID("catalogue").getAttribute("href"),
      { method: "HEAD", signal: AbortSignal.timeout(patience) });
    byID("catalogue").hidden = !answer.ok;
  } catch {
    byID("catalogue").hidden = true;
  }
}
