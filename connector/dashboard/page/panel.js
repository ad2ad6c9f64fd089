// The panel explains one publication: all that is known of it, most urgent first.

const panel = { id: "", made: "" }; // made: what it was filled from

async function refreshPanel() {
  const { id } = page.view;
  if (!id) return;
  try {
    const answer = await ask(publicationPath(id));
    if (id === page.view.id) fillPanel(id, answer);
  } catch (err) {
    if (err.status !== 404) throw err;
    if (id === page.view.id) emptyPanel(id, "Nothing is known of this publication.", err.message);
  }
}

// openPanel follows the view: it opens, changes and closes with the id in the address.
function openPanel() {
  const dialog = byID("panel");
  const { id } = page.view;
  if (!id) {
    if (dialog.open) dialog.close();
    panel.id = panel.made = "";
    return;
  }
  if (id !== panel.id) {
    panel.id = id;
    emptyPanel(id, "Asking the worker …", "");
    tell(byID("panel-notice"), "");
  }
  if (!dialog.open) {
    dialog.showModal();
    byID("panel-title").focus();
  }
}

function emptyPanel(id, what, why) {
  const made = JSON.stringify([id, what, why]);
  if (made === panel.made) return;
  panel.made = made;
  byID("panel-title").replaceChildren(el("bdi", {}, id));
  byID("panel-body").replaceChildren(el("p", {}, what), why ? el("p", { class: "dim" }, why) : "");
}

// fillPanel makes the panel anew when something has changed, and restores the scroll position.
function fillPanel(id, e) {
  const made = JSON.stringify(e);
  if (made === panel.made) return;
  panel.made = made;
  const body = byID("panel-body");
  const open = new Set([...body.querySelectorAll("details[open]")].map((d) => d.dataset.key));
  const focused = body.contains(document.activeElement) ? document.activeElement.dataset.key : null;

  byID("panel-title").replaceChildren(el("bdi", {}, e.title || "(no title)"));
  const state = stateNamed(e.state);
  body.replaceChildren(...[
    el("p", {}, badge(e.state), " ", state?.who ?? "", el("br"), el("span", { class: "id" }, el("bdi", {}, e.id))),
    el("p", { class: "dim" }, state?.meaning ?? ""),
    heldPart(e), problemPart(e),
    el("div", { class: "actions" },
      button("Retry now", () => retry(e.id), { "data-key": "retry" }),
      e.shop?.kept?.length
        ? button("Retry and give the edits back …", () => giveBack(e.id, e.shop.kept), { "data-key": "reset" }) : null),
    shopPart(e), variantsPart(e), reportPart(e), sourcePart(e), historyPart(e),
  ].filter(Boolean));

  for (const d of body.querySelectorAll("details")) if (open.has(d.dataset.key)) d.open = true;
  if (focused) [...body.querySelectorAll("[data-key]")].find((n) => n.dataset.key === focused)?.focus();
}

function part(title, rows, ...rest) {
  return el("section", {}, el("h3", {}, title),
    el("dl", {},
      rows.filter(Boolean).map(([term, ...value]) => el("div", {}, el("dt", {}, term), el("dd", {}, value)))), rest);
}

const told = (text, none = "–") => (text ? el("bdi", {}, text) : none);

function heldPart(e) {
  if (!e.held?.length) return null;
  const keys = e.held.map((h) => h.key);
  const named = (id) => (e.variants ?? []).find((v) => v.id === id)?.title || id;
  return el("section", { class: "box", "data-level": "attention" }, el("h3", {}, "Held for your approval"),
    e.held.map((h) => el("div", { class: "hold" },
      el("p", {}, el("strong", {}, holds[h.kind] ?? h.kind),
        h.variant ? [" of ", el("bdi", {}, named(h.variant))] : null,
        h.old || h.new
          ? [": ", el("bdi", { class: "old" }, h.old || "–"), " → ", el("bdi", { class: "new" }, h.new || "–")] : null),
      el("p", {}, el("bdi", {}, h.reason),
        el("span", { class: "dim" }, " Held ", when(h.since, { none: "since an unknown time" }), ".")))),
    el("div", { class: "actions" },
      button(e.held.length > 1 ? "Approve these " + e.held.length : "Approve", () => answer(e.id, false, keys),
        { class: "strong", "data-key": "approve" }),
      button("Decline", () => answer(e.id, true, keys), { "data-key": "decline" })));
}

function problemPart(e) {
  const p = e.problem;
  if (!p) return null;
  return el("section",
    { class: "box", "data-level": p.kind === "blocked" ? "bad" : p.kind === "rejected" ? "attention" : "busy" },
    el("h3", {}, "What keeps it"),
    el("p", { class: "message" }, el("bdi", {}, p.message)),
    el("p", { class: "dim" }, problems[p.kind] ?? p.kind),
    el("p", { class: "dim" }, count(p.attempts, "attempt", "attempts"), ", the first ", when(p.since), ", the last ",
      when(p.last), "; next look ",
      when(e.nextAttemptAt, { none: "when something changes", due: true }), "."));
}

function shopPart(e) {
  const s = e.shop ?? {};
  return part("In the shop", [
    ["On sale", s.onSale ? "yes" : "no"],
    ["Address", s.url ? outside(s.url) : "–"],
    ["Id there", told(s.id)],
    ["Written", when(s.writtenAt)],
    s.kept?.length && ["Left alone", s.kept.join(", ") + ": as edited in the shop"],
    ...(s.missing ?? [])
      .map((p) =>
        [p.later ? "Picture that comes later" : "Picture refused", outside(p.url),
          el("span", { class: "trouble" }, el("bdi", {}, p.reason))]),
    s.unsettled?.length && ["Unsettled", s.unsettled.join(", ") + ": sent, and the outcome is not known yet"],
  ]);
}

function reportPart(e) {
  const r = e.report ?? {};
  return part("Reported to the marketplace", [
    ["Status", told(r.status, "nothing yet"), momentOf(r.at) ? el("span", { class: "dim" }, " ", when(r.at)) : null],
    r.url && ["With", outside(r.url)],
    r.owed && ["Still owed", told(r.owed)],
    r.error &&
      ["Refused", trouble(r.error),
        el("span", { class: "dim" }, " ", count(Number(r.refusals) || 1, "time", "times"), ", the last ",
          when(r.refusedAt),
      "; made again ", when(r.nextReportAt, { none: "now", due: true }))],
  ]);
}

function sourcePart(e) {
  const s = e.source ?? {};
  return part("From the marketplace", [
    ["Listing", told(s.listingId)],
    ["Product", told(s.productId)],
    ["Changed there", momentOf(s.updatedAt) ? when(s.updatedAt) : told(s.updatedAt)],
    ["Read", when(s.readAt)],
    ["Last listed", when(s.listedAt)],
    ["Next look", when(e.nextAttemptAt, { none: "when it changes", due: true })],
    s.removal && ["Leaves, since", removals[s.removal] ?? told(s.removal)],
  ]);
}

function variantsPart(e) {
  if (!e.variants?.length) return null;
  const row = (v) => el("tr", {},
    el("th", { scope: "row" }, el("bdi", {}, v.title || "(no options)"),
      v.sku ? el("span", { class: "id" }, el("bdi", {}, v.sku)) : null,
      v.refused ? el("span", { class: "trouble" }, "refused: ", el("bdi", {}, v.refused)) : null,
      v.priceSteps?.length
        ? el("details", { "data-key": "price " + v.id },
          el("summary", { "data-key": "how " + v.id }, "how the price comes about"),
        el("ol", { class: "steps" }, v.priceSteps.map((s) => el("li", {}, el("bdi", {}, s))))) : null),
    el("td", { class: "number" }, v.price || "–"),
    el("td", { class: "number" }, v.cost || "–"),
    el("td", { class: "number" }, v.msrp || "–"),
    el("td", { class: "number" }, number(v.quantity),
      v.backorders ? el("span", { class: "dim" }, "then on order") : null));
  const heads = ["Variant", "Price", "Cost", "MSRP",
    "Stock"].map((h, i) => el("th", { scope: "col", class: i > 0 && "number" }, h));
  return el("section", {}, el("h3", {}, count(e.variants.length, "variant", "variants")),
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Variants" },
      el("table", { class: "variants" },
        el("thead", {}, el("tr", {}, heads)),
        el("tbody", {}, e.variants.map(row)))));
}

function historyPart(e) {
  if (!e.history?.length) return null;
  const newestFirst = [...e.history].reverse();
  return el("section", {},
    el("h3", {}, "History"),
    el("ol", { class: "history" }, newestFirst.map((h) => el("li", {}, when(h.at), " ", el("bdi", {}, h.what)))));
}
