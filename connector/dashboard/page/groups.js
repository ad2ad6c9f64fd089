// What is held, in groups by its kind and cause. A group is approved or declined as one.

const groupsEvery = 10000; // milliseconds
const groups = { asked: 0, at: "", held: [], made: "" };

async function refreshGroups() {
  if (!page.status || Date.now() - groups.asked < groupsEvery) return;
  groups.asked = Date.now();
  const held = tally(page.status).held ? await ask("api/v1/held?limit=1").catch(unknown) : null;
  groups.held = held?.groups ?? [];
  groups.at = held?.at;
  showGroups();
}

// unknown is what a worker tells that has no such page.
function unknown(err) {
  if (err.status !== 404) throw err;
  return null;
}

function showGroups() {
  const { state } = page.view;
  const shown = state && state !== "held" ? [] : groups.held;
  const made = JSON.stringify([shown, state]);
  if (made === groups.made) return;
  groups.made = made;
  byID("groups").hidden = !shown.length;
  refill(byID("groups-list"), shown.map(groupRow));
}

function groupRow(g) {
  const what = g.what || holds[g.kind] || g.kind;
  return el("li", { class: "group", "data-state": "held" },
    el("div", { class: "group-what" },
      badge("held"), " ", el("strong", {}, count(g.publications, "product", "products")), " ",
      el("bdi", {}, what), heldSum(g)),
    el("div", { class: "group-actions" },
      page.view.state === "held" ? null : button("Show", () => show({ state: "held", find: "" })),
      button("Approve", () => answerGroup(g, "approve"), { "aria-label": "Approve: " + what }),
      button("Decline", () => answerGroup(g, "decline"), { "aria-label": "Decline: " + what })));
}

// heldSum is what the prices of a group add up to, as they are and as they would be.
function heldSum(g) {
  if (!g.new) return null;
  return el("span", { class: "dim" }, " · ",
    g.old ? [el("bdi", {}, g.old), " → "] : null, el("bdi", {}, g.new), " in all",
    g.largest ? [", at most ", el("bdi", {}, g.largest), " %"] : null);
}

const approvedWords = (a) => count(a?.count, "product’s changes are", "products’ changes are") + " approved.";
const declinedWords = (a) =>
  count(a?.count, "product stays", "products stay") + " as now until the supplier changes something again.";

async function answerGroup(g, answer) {
  const approve = answer === "approve";
  const sure = await confirmed(approve ? "Approve this group?" : "Decline this group?", [
    el("p", {}, el("strong", {}, count(g.publications, "product", "products")), ": ", el("bdi", {}, g.what || g.kind),
      heldSum(g)),
    el("p", {}, approve
      ? "They were held because they look like a mistake. Approved, they reach the shop at once."
      : "What is in the shop stays as it is until the supplier changes it again."),
  ], approve ? "Approve" : "Decline");
  if (sure) await act(() => post("api/v1/held", { decline: !approve, group: g.group, at: groups.at }),
    approve ? approvedWords : declinedWords);
}
