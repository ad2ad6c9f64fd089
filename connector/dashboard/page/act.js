// The commands of the page. Each outcome is shown in words: in the panel while it is open, else at the top of the page.

function notify(text, bad = false) {
  for (const id of ["notice", "panel-notice"]) {
    const here = (id === "panel-notice") === byID("panel").open;
    byID(id).classList.toggle("bad", bad);
    tell(byID(id), here ? text : "");
  }
}

// act sends a command and tells how it ended. The next poll shows what came of it.
async function act(command, said) {
  notify("");
  try {
    notify(said(await command()));
  } catch (err) {
    notify("That did not work: " + err.message + ".", true);
  }
  groups.asked = 0; // what came of it is shown at once
  poll();
}

const post = (path, body) => ask(path, { method: "POST", body });

const sweep = (full) => act(() => post("api/v1/sweep", { full }), () => (full
  ? "Asked for: the whole list is read again, and removals are looked for."
  : "Asked for: the list is read, and what is pending is tried at once."));

const retryFailed = () =>
  act(() => post("api/v1/retry", { failed: true }), (a) => count(a?.count, "product is", "products are") + " tried again now.");

const retry = (id) => act(() => post(publicationPath(id, "/retry")), () => "It is tried again now.");

// What was shown is named by its keys: what is held by now, and was not shown, is not answered.
const answer = (id, decline, keys) => act(() => post("api/v1/held", { ids: [id], decline, holds: keys }),
  () => (decline ? "Declined. It stays as it is until the supplier changes it again."
    : "Approved. The change is made now."));

async function giveBack(id, fields) {
  const sure = await confirmed("Give the edits back to the supplier?", [
    el("p", {},
      "What was edited in the shop (" + fields.join(", ") + ") is overwritten with the supplier’s text and pictures. " +
      "That cannot be undone."),
  ], "Overwrite the edits");
  if (sure) await act(() => post(publicationPath(id, "/retry?reset=true")),
    () => "The supplier’s version is written now.");
}

// approveAll shows the held changes before it asks: a brake holds changes that look like a mistake.
async function approveAll() {
  const shown = 8;
  let held;
  try {
    held = (await ask(listPath({ state: "held" }, "", shown + 1))).publications;
  } catch (err) {
    notify("The held changes could not be listed: " + err.message + ".", true);
    return;
  }
  const all = tally(page.status ?? {}).held;
  const kind = el("select", { id: "approve-kind" }, el("option", { value: "" }, "everything that is held"),
    Object.entries(holdsOf).map(([value, words]) => el("option", { value }, words)));
  const sure = await confirmed("Approve what is held?", [
    el("p", {},
      "They were held because they look like a mistake. Approved, they reach the shop at once, removals among them."),
    el("p", {}, el("label", {}, "Approve ", kind)),
    el("p", {}, "What is held:"),
    el("ul", {},
      held.slice(0, shown).map((p) => el("li", {}, el("bdi", {}, p.title || p.id), ": ", el("bdi", {}, p.error)))),
    held.length > shown && el("p", {}, "… and " + (all > shown ? number(all - shown) + " more." : "more.")),
  ], "Approve");
  if (sure) await act(() => post("api/v1/held", kind.value ? { group: kind.value } : { all: true }),
    (a) => count(a?.count, "product’s changes are", "products’ changes are") + " approved.");
}

// confirmed asks in a dialog; Escape answers no.
function confirmed(title, body, yes) {
  const dialog = byID("confirm");
  tell(byID("confirm-title"), title);
  tell(byID("confirm-yes"), yes);
  byID("confirm-body").replaceChildren(...body.filter(Boolean));
  return new Promise((resolve) => {
    const answer = (sure) => {
      dialog.close();
      resolve(sure);
    };
    byID("confirm-yes").onclick = () => answer(true);
    byID("confirm-no").onclick = () => answer(false);
    dialog.oncancel = () => answer(false);
    dialog.onclose = () => { // a browser may close it without asking, on a second Escape
      if (!dialog.open) answer(false); // else it is the next question already
    };
    dialog.showModal();
    byID("confirm-no").focus();
  });
}
