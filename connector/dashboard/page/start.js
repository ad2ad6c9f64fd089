// The page polls every few seconds while it is visible, and never takes more than a twentieth of the worker's time.

const askEvery = 3000; // milliseconds
const askLeast = 60000;
let timer = 0;
let asking = false;
let askAgain = false;
let failures = 0;

// poll brings the page up to date and sets the time of the next. Asked for while it runs, it runs once more.
async function poll() {
  clearTimeout(timer);
  if (asking) {
    askAgain = true;
    return;
  }
  asking = true;
  let took = 0;
  try {
    do {
      askAgain = false;
      const begun = performance.now();
      await refresh();
      took = performance.now() - begun;
    } while (askAgain);
  } finally {
    asking = false;
    const pause = failures ? Math.min(askEvery * 2 ** (failures - 1), 15000)
      : Math.min(Math.max(askEvery, took * 19), askLeast);
    if (!document.hidden) timer = setTimeout(poll, pause);
  }
}

async function refresh() {
  try {
    page.status = await ask("api/v1/status");
    page.seen = new Date(Date.now() + skew).toISOString();
    page.lost = "";
    page.loggedOut = false;
    showStatus();
    await Promise.all([refreshList(), refreshPanel(), refreshGroups()]);
    failures = 0;
  } catch (err) {
    if (err.name === "AbortError") return;
    failures++;
    if (err.status === 401) page.loggedOut = true;
    else [page.lost, page.answers] = [err.message, err.status > 0];
  }
  showStatus();
}

function showStatus() {
  showVerdict();
  showTiles();
  showFacts();
}

// viewChanged shows at once what is known of the new view, and asks for the rest.
function viewChanged() {
  const before = page.view;
  page.view = viewOf(location.hash);
  if (["state", "find"].some((name) => before[name] !== page.view[name])) list.after = [];
  showListHead();
  showTiles();
  showGroups();
  showPrices();
  openPanel();
  poll();
}

function start() {
  makeTiles();
  startChoosing();
  startPrices();
  byID("facts").replaceChildren(...cards.map((c) => c.made));

  byID("skip").addEventListener("click", (event) => {
    event.preventDefault(); // what stands behind the # is the view
    byID("list").focus();
  });
  let typed = 0;
  byID("find").addEventListener("input", () => {
    clearTimeout(typed);
    typed = setTimeout(() => show({ find: byID("find").value }, { replace: true }), 250);
  });
  byID("on").addEventListener("click", () => {
    if (list.key !== listKey()) return; // the page asked for has not come yet
    list.after.push(byID("on").dataset.after);
    byID("list").scrollIntoView();
    poll();
  });
  byID("back").addEventListener("click", () => {
    if (list.key !== listKey()) return;
    list.after.pop();
    poll();
  });

  const dialog = byID("panel");
  byID("panel-close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close(); // beside it
  });
  dialog.addEventListener("close", () => {
    if (!dialog.open) show({ id: "" }); // else it has been opened again meanwhile
  });

  addEventListener("popstate", viewChanged); // also follows a link to another #
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) clearTimeout(timer);
    else poll();
  });
  addEventListener("online", () => poll());
  setInterval(keepTimesTrue, 1000);

  byID("to-accounts").hidden = !/\/accounts\/[^/]+\/$/.test(location.pathname);
  showListHead();
  showPrices();
  openPanel();
  probeCatalogue();
  poll();
}

start();
