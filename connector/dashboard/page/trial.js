// What a trial of price rules found: in words, as a histogram of margins, and the prices that move most.

function showTrial(t, changed) {
  const moves = t.up + t.down;
  refill(byID("trial-words"), [
    el("p", { class: "trial-head" }, !t.variants ? "Nothing is on sale yet: there is no price to try the rules on."
      : !moves ? (changed ? "No price would move." : "These are the rules as they are: no price would move.")
      : number(moves) + " of " + count(t.variants, "price would move", "prices would move") + ": " +
        number(t.up) + " up, " + number(t.down) + " down."),
    t.held > 0 && el("p", {}, el("span", { class: "badge", "data-state": "held" }, "held"), " ",
      count(t.held, "price would be", "prices would be") + " held by the brake, and wait for your approval."),
    t.without > 0 && el("p", {}, el("span", { class: "badge", "data-state": "rejected" }, "refused"), " ",
      count(t.without, "price cannot", "prices cannot") + " be made: ", el("bdi", {}, t.why)),
    el("p", { class: "dim" }, t.publications < t.of
      ? "Tried on a sample of " + number(t.publications) + " of " + number(t.of) + " products, from all over the list."
      : "Tried on " + (t.of === 1 ? "the one product" : "all " + number(t.of) + " products") + " on sale."),
  ].filter(Boolean));
  showMargins(t.margins ?? []);
  showMoves(t.most ?? []);
}

// showMargins draws two bars for each range of margins: as it is, and as it would be.
function showMargins(bars) {
  const most = Math.max(1, ...bars.map((b) => Math.max(b.before, b.after)));
  const name = (b, i) => (i === 0 ? "below " + bars[1].from + " %" : i === bars.length - 1 ? b.from + " % and more"
    : b.from + " to " + bars[i + 1].from + " %");
  refill(byID("margins"), bars.map((b, i) => {
    const bar = (tone, n) => {
      const made = el("span", { class: "margin-bar " + tone });
      made.style.width = (100 * n) / most + "%";
      return made;
    };
    return el("tr", {}, el("th", { scope: "row" }, name(b, i)),
      el("td", { class: "margin-bars", "aria-hidden": "true" }, bar("pale", b.before), bar("accent", b.after)),
      el("td", { class: "number dim" }, number(b.before)), el("td", { class: "number" }, number(b.after)));
  }));
}

function showMoves(moves) {
  byID("moves-part").hidden = !moves.length;
  refill(byID("moves"), moves.map((m) => el("tr", {},
    el("th", { scope: "row" }, el("a", { href: hashOf({ ...page.view, id: m.id }) }, el("bdi", {}, m.title || m.id)),
      m.variant ? el("span", { class: "dim" }, " ", el("bdi", {}, m.variant)) : null),
    el("td", { class: "number" }, el("bdi", {}, m.old), " → ", el("bdi", {}, m.new)),
    el("td", { class: "number" }, (m.percent > 0 ? "+" : "") + numbers.format(m.percent) + " %"),
    el("td", {}, m.held ? badge("held") : null))));
}
