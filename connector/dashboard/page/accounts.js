// The page of accounts asks one process for all of them, of which it knows more of its own.

const askEvery = 5000; // milliseconds
const rowsShown = 100; // of a page
let timer = 0;
let asked = 0; // of the last answer that is shown
let accounts = null;
let lost = "";
let first = 0; // the first row of the page
const rows = new Map(); // by the name of the account: what was shown, and its row

// needs says what waits for a person, "" where nothing does.
function needs(account) {
  const { blocked = 0, held = 0 } = account.publications ?? {};
  const all = [];
  if (account.state === "faulty") all.push("does not work");
  if (held) all.push(number(held) + " held");
  if (blocked) all.push(number(blocked) + " blocked");
  all.push(...(account.refused ?? []));
  return all.join(", ");
}

// orderOf puts what needs a person first, then names.
function orderOf(a, b) {
  const rank = (account) => (account.state === "faulty" ? 0 : needs(account) ? 1 : 2);
  return rank(a) - rank(b) || a.name.localeCompare(b.name, "en", { numeric: true });
}

function found() {
  const words = byID("find").value.toLowerCase().split(/\s+/).filter(Boolean);
  return accounts.filter((a) => {
    const text = [a.name, a.state, a.error, needs(a)].join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  }).sort(orderOf);
}

function cell(label, content, attributes) {
  return el("td", { "data-label": label, ...attributes }, content);
}

function rowOf(a) {
  const { live = 0, partial = 0 } = a.publications ?? {};
  const shown = (n) => (a.publications ? number(n) : "–");
  const name = a.state === "working" || a.state === "elsewhere"
    ? el("a", { href: "accounts/" + encodeURIComponent(a.name) + "/" }, el("bdi", {}, a.name)) : el("bdi", {}, a.name);
  const waits = needs(a);
  return el("tr", {},
    el("th", { scope: "row" }, name),
    cell("State", [
      el("span", { class: "badge", "data-account": a.state }, a.state),
      a.error && el("p", { class: "message" }, a.error),
      (a.paused ?? []).map((reason) => el("p", { class: "message" }, "paused: " + reason)),
    ], { class: "state" }),
    cell("Needs a person", waits || el("span", { class: "unseen" }, "no"), { class: waits ? "needs" : "nothing" }),
    cell("On sale", shown(live + partial), { class: "number" }),
    cell("Due", shown(a.due), { class: "number" }),
    cell("Reports owed", shown(a.outbox), { class: "number" }));
}

function showRows() {
  const all = found();
  first = Math.max(Math.min(first, Math.floor((all.length - 1) / rowsShown) * rowsShown), 0);
  const here = all.slice(first, first + rowsShown);
  refreshRows(here);
  byID("table").classList.toggle("bare", here.length === 0);
  byID("table").setAttribute("aria-busy", "false");
  byID("empty").hidden = here.length > 0;
  const none = accounts.length === 0;
  tell(byID("empty").firstElementChild, none ? "There is no account." : "No account is like that.");
  tell(byID("empty").lastElementChild, none ? "Put a file NAME.env into the folder of PUBSYNC_ACCOUNTS_DIR." : "");
  byID("back").disabled = first === 0;
  byID("on").disabled = first + rowsShown >= all.length;
  tell(byID("place"), all.length > rowsShown
    ? number(first + 1) + "–" + number(first + here.length) + " of " + number(all.length)
    : count(all.length, "account", "accounts"));
}

// refreshRows keeps the row of an account that has not changed: focus and selection stay.
function refreshRows(here) {
  const kept = here.map((a) => {
    const text = JSON.stringify(a);
    let known = rows.get(a.name);
    if (known?.text !== text) {
      const had = known?.row.contains(document.activeElement);
      const row = rowOf(a);
      known?.row.replaceWith(row);
      known = { text, row };
      rows.set(a.name, known);
      if (had) row.querySelector("a")?.focus();
    }
    return known.row;
  });
  arrange(byID("rows"), kept);
}

function showVerdict() {
  const verdict = byID("verdict");
  if (lost) {
    verdict.dataset.level = "bad";
    tell(byID("headline"), "The process does not answer.");
    tell(byID("reason"), lost);
    byID("reason").hidden = false;
    return;
  }
  byID("reason").hidden = true;
  const waiting = accounts.filter((a) => needs(a)).length;
  const faulty = accounts.filter((a) => a.state === "faulty").length;
  verdict.dataset.level = faulty ? "bad" : waiting ? "attention" : "good";
  tell(byID("headline"), accounts.length === 0 ? "There is no account yet."
    : waiting ? number(waiting) + " of " + count(accounts.length, "account needs", "accounts need") + " a person."
      : "No account needs a person.");
  const sum = (value) => accounts.reduce((n, a) => n + (value(a) ?? 0), 0);
  tell(byID("lines"), [
    count(sum((a) => (a.publications?.live ?? 0) + (a.publications?.partial ?? 0)), "product", "products") + " on sale",
    number(sum((a) => a.due)) + " due", count(sum((a) => a.outbox), "report", "reports") + " owed",
    faulty && count(faulty, "account does not work", "accounts do not work"),
  ].filter(Boolean).join(" · "));
}

async function poll() {
  clearTimeout(timer);
  const begun = performance.now();
  const turn = ++asked;
  try {
    const answer = await ask("api/v1/accounts");
    if (turn !== asked) return;
    [accounts, lost] = [answer.accounts ?? [], ""];
    showRows();
    tell(byID("pulse"), "as of " + new Date(Date.now() + skew).toLocaleTimeString("en-GB"));
  } catch (err) {
    if (turn !== asked) return;
    lost = err.status === 401 ? "The login has ended: load this page again." : err.message;
  }
  showVerdict();
  if (!document.hidden) timer = setTimeout(poll, Math.max(askEvery, (performance.now() - begun) * 19));
}

byID("skip").addEventListener("click", (event) => {
  event.preventDefault();
  byID("list").focus();
});
byID("find").addEventListener("input", () => {
  first = 0;
  if (accounts) showRows();
});
for (const [id, step] of [["back", -rowsShown], ["on", rowsShown]]) {
  byID(id).addEventListener("click", () => {
    first += step;
    showRows();
    byID("list").focus();
  });
}
document.addEventListener("visibilitychange", () => {
  if (document.hidden) clearTimeout(timer);
  else poll();
});
poll();
