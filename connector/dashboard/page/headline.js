// The top of the page: the verdict, what can be done about it, and the counts that are filters too.

const pictures = {
  bad: ["#b3261e", "M12 6v7M12 17.5v.5"], attention: ["#b06a00", "M12 6v7M12 17.5v.5"],
  busy: ["#2b6cb0", "M7 12h.1M12 12h.1M17 12h.1"], good: ["#2e7d4f", "M7 12.5l3.5 3.5L17 9"],
};

// icon is the picture in the browser's tab. It shows the level of the verdict beside other tabs.
function icon(level) {
  const [colour, path] = pictures[level];
  return "data:image/svg+xml," + encodeURIComponent(
    "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'><circle cx='12' cy='12' r='11' fill='"
    + colour + "'/><path d='" + path 
    + "' fill='none' stroke='#fff' stroke-width='2.6' stroke-linecap='round' stroke-linejoin='round'/></svg>");
}

const showState = (state) => show({ state, find: "" });

const actions = {
  login: () => el("a", { class: "button strong", href: "./" }, "Log in"),
  ask: () => button("Ask now", () => poll()),
  sweep: () => button("Try again now", () => sweep(false), { class: "strong" }),
  read: () => button("Read the list now", () => sweep(false), { class: "strong" }),
  blocked: () => button("Show what is blocked", () => showState("blocked"), { class: "strong" }),
  held: () => button("Show what is held", () => showState("held"), { class: "strong" }),
  rejected: () => button("Show what is rejected", () => showState("rejected"), { class: "strong" }),
  pending: () => button("Show what waits", () => showState("pending")),
  partial: () => button("Show what lacks variants or pictures", () => showState("partial")),
  approve: () => button("Approve all …", approveAll),
  retry: () => button("Retry all that failed", retryFailed),
};
const madeActions = new Map(); // so that a button stays the same one, and keeps the focus, from poll to poll

function actionNamed(name) {
  if (!madeActions.has(name)) madeActions.set(name, actions[name]());
  return madeActions.get(name);
}

function showVerdict() {
  const v = verdict(page);
  byID("verdict").dataset.level = v.level;
  tell(byID("headline"), v.title);
  tell(byID("reason"), v.reason ?? "");
  byID("reason").hidden = !v.reason;
  refill(byID("lines"), v.lines.map((line) => el("p", {}, line)));
  arrange(byID("actions"), v.actions.filter(Boolean).map(actionNamed));

  const bar = byID("progress");
  bar.hidden = !v.share;
  if (v.share) {
    bar.setAttribute("aria-valuenow", v.share[0]);
    bar.setAttribute("aria-valuemax", v.share[1]);
    bar.firstElementChild.style.width = (100 * v.share[0]) / v.share[1] + "%";
  }

  const needs = page.status && !page.lost && !page.loggedOut ? tally(page.status).you : 0;
  document.title = (needs ? "(" + needs + ") " : v.level === "bad" ? "! " : "") + "pubsync";
  const picture = icon(v.level);
  if (byID("icon").href !== picture) byID("icon").href = picture;
  const stale = Boolean(page.lost || page.loggedOut);
  document.body.classList.toggle("stale", stale);
  tell(byID("panel-stale"), stale ? v.title + " This is what was last known." : "");
  refill(byID("pulse"), page.seen ? ["as of ", when(page.seen)] : []);
}

// The tiles are made once; a poll changes their numbers.
function makeTiles() {
  const tile = (name, label, who) => {
    const made = el("button",
      { type: "button", class: "tile", "data-state": name, "aria-pressed": "false",
        click: () => showState(name) },
      el("span", { class: "count" }, "–"), el("span", { class: "name" }, label), el("span", { class: "who" }, who));
    if (name) made.title = stateNamed(name).meaning;
    return made;
  };
  byID("tiles")
    .replaceChildren(tile("", "all", "in whatever state"), ...states.map((s) => tile(s.name, s.name, s.who)));
}

function showTiles() {
  const n = page.status ? tally(page.status) : null;
  for (const tile of byID("tiles").children) {
    const name = tile.dataset.state;
    const many = n ? n[name || "all"] : null;
    tell(tile.querySelector(".count"), many === null ? "–" : number(many));
    tile.classList.toggle("none", many === 0);
    tile.setAttribute("aria-pressed", String(page.view.state === name));
  }
}
