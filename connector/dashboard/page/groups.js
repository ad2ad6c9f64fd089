// What needs somebody, in groups: failures by their cause, and what is held by its kind. A group is dealt with as one.

const groupsEvery = 10000; // milliseconds
const groupsShown = 4;
const groups = { asked: 0, at: "", failures: [], more: 0, held: [], all: false, made: "" };

async function refreshGroups() {
  if (!page.status || Date.now() - groups.asked < groupsEvery) return;
  groups.asked = Date.now();
  const n = tally(page.status);
  const failing = n.blocked + n.rejected + n.partial + n.pending + (Number(page.status.refused) || 0) > 0;
  const [failures, held] = await Promise.all([
    failing ? ask("api/v1/failures") : null,
    n.held ? ask("api/v1/held?limit=1").catch(unknown) : null,
  ]);
  groups.failures = failures?.groups ?? [];
  groups.more = failures?.more ?? 0;
  groups.held = held?.groups ?? [];
  groups.at = held?.at;
  showGroups();
}

// unknown is what a worker tells that has no such page.
function unknown(err) {
  if (err.status !== 404) throw err;
  return null;
}

// groupsHere are the groups of the state that the view shows, with what needs the merchant first. Among all states a
// single product stands in the list alone, unless it needs the merchant.
function groupsHere() {
  const { state } = page.view;
  const urgency = (g) => ["held", "blocked", "rejected", "partial"].indexOf(g.state) + 1 || 9;
  const held = groups.held.map((g) => ({ ...g, state: "held" }));
  return [...held, ...groups.failures].filter((g) => (state ? g.state === state
    : g.publications > 1 || g.state === "held" || g.state === "blocked"))
    .sort((a, b) => urgency(a) - urgency(b) || b.publications - a.publications);
}

function showGroups() {
  const all = groupsHere();
  const made = JSON.stringify([all, groups.more, groups.all, page.view.cause]);
  if (made === groups.made) return;
  groups.made = made;
  const shown = groups.all ? all : all.slice(0, groupsShown);
  byID("groups").hidden = !all.length;
  refill(byID("groups-list"), shown.map(groupRow));
  const hidden = all.length - shown.length;
  byID("groups-more").hidden = all.length <= groupsShown;
  tell(byID("groups-more"), groups.all ? "Show fewer" : "Show " + number(hidden) + " more");
}

function groupRow(g) {
  const held = g.state === "held";
  const here = held ? page.view.state === "held" : page.view.cause === g.cause && page.view.state === g.state;
  return el("li", { class: "group", "data-state": g.state },
    el("div", { class: "group-what" },
      badge(g.state), " ", el("strong", {}, count(g.publications, "product", "products")), " ",
      el("bdi", {}, held ? g.what || holds[g.kind] || g.kind : g.cause),
      held ? heldSum(g) : g.publications === 1 && g.title ? el("span", { class: "dim" }, " · ", el("bdi", {}, g.title)) : null),
    el("div", { class: "group-actions" },
      here ? null : button("Show", () => show({ state: g.state, cause: held ? "" : g.cause, find: "" })),
      held ? [
        button("Approve", () => answerGroup(g, "approve"), { "aria-label": "Approve: " + (g.what || g.kind) }),
        button("Decline", () => answerGroup(g, "decline"), { "aria-label": "Decline: " + (g.what || g.kind) }),
      ] : g.retry ? button("Retry", () => retryGroup(g), { "aria-label": "Retry: " + g.cause }) : null));
}

// heldSum is what the prices of a group add up to, as they are and as they would be.
function heldSum(g) {
  if (!g.new) return null;
  return el("span", { class: "dim" }, " · ",
    g.old ? [el("bdi", {}, g.old), " → "] : null, el("bdi", {}, g.new), " in all",
    g.largest ? [", at most ", el("bdi", {}, g.largest), " %"] : null);
}

const retryGroup = (g) =>
  act(() => post("api/v1/retry", { group: { state: g.state, cause: g.cause } }),
    (a) => count(a?.count, "product is", "products are") + " tried again now.");

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
