// The feed tells what happened to publications of late, the newest first.

const feedEvery = 15000; // milliseconds
const feedShown = 8;
const feed = { asked: 0, events: [], all: false };

async function refreshFeed() {
  if (Date.now() - feed.asked < feedEvery) return;
  feed.asked = Date.now();
  feed.events = (await ask("api/v1/events")).events ?? [];
  showFeed();
}

function showFeed() {
  const shown = feed.all ? feed.events : feed.events.slice(0, feedShown);
  refill(byID("feed"), shown.map((e) => el("li", {},
    el("span", { class: "feed-when dim" }, when(e.at)),
    el("span", {}, el("a", { href: hashOf({ ...page.view, id: e.id }) }, el("bdi", {}, e.title || e.id)), " ",
      el("bdi", {}, e.what), e.by ? el("span", { class: "dim" }, " · by ", el("bdi", {}, e.by)) : null))));
  byID("feed-none").hidden = shown.length > 0;
  byID("feed-more").hidden = feed.events.length <= feedShown;
  tell(byID("feed-more"), feed.all ? "Show fewer" : "Show " + number(feed.events.length - feedShown) + " more");
}

function startFeed() {
  byID("feed-more").addEventListener("click", () => {
    feed.all = !feed.all;
    showFeed();
  });
}
