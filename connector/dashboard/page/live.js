// The page works without this script. With it links and forms change only what differs, and every few seconds,
// while somebody looks, the page is asked for again: never for more than a twentieth of the worker's time.

const every = 3000; // milliseconds
const patience = 15000;
const byID = (id) => document.getElementById(id);
const chosen = new Map(); // id -> the state in which it was chosen, over all pages of the list
let [turn, timer, typed, failures, seen] = [0, 0, 0, 0, 0];

// ask resolves with the worker's answer as a document, which is inert.
function ask(url, body, again) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(body ? "POST" : "GET", url);
    [request.responseType, request.timeout] = ["document", patience];
    request.setRequestHeader("Live", again && byID("trial") ? "again" : "yes"); // no rule is tried again
    request.onload = () => resolve(request);
    request.onerror = () => reject(new Error("no connection"));
    request.ontimeout = () => reject(new Error("no answer within " + patience / 1000 + " seconds"));
    request.send(body);
  });
}

// load shows an address, or what it answers to a form.
async function load(url, { body, push, typing, again } = {}) {
  clearTimeout(timer);
  const [mine, begun] = [++turn, performance.now()];
  try {
    const answer = await ask(url, body, again);
    if (mine !== turn && !body) return; // what was done is always told
    const came = answer.response?.body;
    if (came?.id === "page") {
      const address = new URL(answer.responseURL);
      const told = address.searchParams.has("said") || body;
      address.searchParams.delete("said");
      if (push) history.pushState(null, "", address);
      else if (body || typing) history.replaceState(null, "", address);
      if (body && answer.status < 400) chosen.clear();
      show(answer.response, push || told);
      failures = 0;
    } else if (answer.status === 401 || came?.querySelector('form[action$="/login"]')) {
      lost("Your login has ended.", "", "Log in again to see how things stand.", true);
    } else if (answer.status >= 400) {
      lost("The worker cannot say how things stand.", "HTTP " + answer.status, shownFrom());
    } else lost("The worker does not answer.", "the answer is not the worker’s", shownFrom());
  } catch (err) {
    if (mine !== turn && !body) return;
    lost("The worker does not answer.", err.message, shownFrom());
  }
  const pause = failures ? Math.min(every * 2 ** (failures - 1), 15000)
    : Math.min(Math.max(every, (performance.now() - begun) * 19), 60000);
  if (!document.hidden) timer = setTimeout(look, pause);
}

const look = () => load(location.href, { again: true });

// show changes the page to what came. A notice stays until something else is asked for.
function show(came, anew) {
  const failed = "failed" in came.body.dataset;
  const [notice, told] = [byID("notice"), came.getElementById("notice")];
  if (notice && told) {
    if (!anew) told.replaceWith(document.importNode(notice, true));
    else if (failed) morph(notice, told);
  }
  if (failed) {
    failures++;
    if (byID("panel")) told?.remove();
    morph(byID("verdict"), came.getElementById("verdict"));
  } else {
    seen = Date.now();
    morph(document.body, came.body);
  }
  document.title = came.title;
  byID("icon").href = came.getElementById("icon").href;
  document.body.classList.toggle("stale", failed);
  settle();
}

// lost shows that nothing came. The rest of the page stays as it was.
function lost(title, reason, line, login) {
  failures++;
  const verdict = byID("lost").content.cloneNode(true).firstElementChild;
  verdict.querySelector("h1").textContent = title;
  verdict.querySelector("#reason").textContent = reason;
  verdict.querySelector("#reason").hidden = !reason;
  verdict.querySelector("#lines").append(line);
  if (login) Object.assign(verdict.querySelector("a"), { textContent: "Log in", href: "./", className: "button strong" });
  morph(byID("verdict"), verdict);
  if (byID("panel-stale")) byID("panel-stale").textContent = title + " This is what was last known.";
  document.title = "! pubsync";
  document.body.classList.add("stale");
}

const shownFrom = () => (seen ? "Last seen " + Math.round((Date.now() - seen) / 1000) +
  " s ago. What is shown below is from then. " : "") +
  "The page goes on asking. What was acknowledged is safe in the store; look at the worker’s log, or start it again.";

// morph makes a node like another and keeps all that is alike: focus, selection and what is open stay.
function morph(node, like) {
  if (node.nodeType === Node.TEXT_NODE) {
    if (node.data !== like.data) node.data = like.data;
    return;
  }
  const typing = node === document.activeElement && node.matches("input");
  if (node.nodeType !== Node.ELEMENT_NODE || node.matches(":popover-open") || typing || like.matches("[data-same]")) return;
  for (const { name } of [...node.attributes]) {
    if (!like.hasAttribute(name) && name !== "open" && name !== "data-gone") node.removeAttribute(name);
  }
  for (const { name, value } of like.attributes) {
    if (name !== "open" && node.getAttribute(name) !== value) node.setAttribute(name, value);
  }
  const keyOf = (n) => n.nodeName + (n.getAttribute?.("id") ?? n.dataset?.key ?? "");
  const had = Map.groupBy(node.childNodes, keyOf);
  const pairs = [...like.childNodes].map((child) => [child, had.get(keyOf(child))?.shift()]);
  for (const rest of [...had.values()].flat()) rest.remove(); // first, so that what stays need not move
  let at = node.firstChild;
  for (const [child, kept] of pairs) {
    const value = child.value;
    if (kept) morph(kept, child);
    const typed = kept?.matches?.("input:not(.choose, :focus), select:not(:focus)");
    if (typed && kept.value !== value) kept.value = value;
    const now = kept ?? document.importNode(child, true);
    while (at?.nodeName === "#text" && now.nodeName !== "#text") at = at.nextSibling; // texts move, not elements
    if (now === at) at = at.nextSibling;
    else node.insertBefore(now, at);
  }
}

// settle is what the page itself cannot say: the panel is modal, and what was chosen stays so.
function settle() {
  const panel = byID("panel");
  if (panel && !panel.matches(":modal")) {
    panel.removeAttribute("open");
    panel.showModal();
    byID("panel-title").focus();
  }
  const boxes = [...document.querySelectorAll("#rows .choose")];
  for (const box of boxes) box.checked = chosen.has(box.value);
  const checked = boxes.filter((box) => box.checked).length;
  if (!byID("chosen")) return;
  const all = byID("choose-all");
  all.hidden = false;
  all.checked = checked > 0 && checked === boxes.length;
  all.indeterminate = checked > 0 && checked < boxes.length;
  byID("chosen").hidden = chosen.size === 0;
  byID("chosen-count").textContent = chosen.size + (chosen.size === 1 ? " product chosen" : " products chosen");
  for (const id of ["chosen-approve", "chosen-decline"]) byID(id).hidden = ![...chosen.values()].includes("held");
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a");
  if (event.target.id === "panel" || link?.id === "panel-close") {
    event.preventDefault();
    byID("panel").close();
  } else if (link?.id === "skip") {
    event.preventDefault();
    document.querySelector(link.hash).focus();
  } else if (/^\?|^$/.test(link?.getAttribute("href") ?? "-") && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault();
    load(link.href, { push: link.href !== location.href });
    if (link.id === "on" || link.id === "first") byID("list").scrollIntoView();
  }
});
document.addEventListener("close", (event) => { // of the panel: the address follows
  if (event.target.id === "panel" && !event.target.open) load(byID("panel-close").href, { push: true });
}, true);
document.addEventListener("submit", (event) => {
  event.preventDefault();
  const data = new FormData(event.target, event.submitter);
  if (event.target.matches("#chosen-form")) {
    data.delete("id");
    for (const id of chosen.keys()) data.append("id", id);
  }
  const form = new URLSearchParams(data);
  if (event.target.method !== "post") load("?" + form, { typing: true });
  else load(location.href, { body: form });
  event.target.closest("[popover]")?.hidePopover();
});
document.addEventListener("keypress", (event) => { // Enter on a box would press the first button of its form
  if (event.key === "Enter" && event.target.matches(".choose")) event.preventDefault();
});
document.addEventListener("input", ({ target }) => {
  if (target.dataset.slider) byID("rule-" + target.dataset.slider).value = target.value;
  if (target.dataset.rule) {
    const slider = document.querySelector('[data-slider="' + target.dataset.rule + '"]');
    if (slider) slider.value = target.value || 0;
  }
  if (!target.closest("#find-form, #rules-form")) return;
  turn++; // what is under way is of before
  clearTimeout(typed);
  byID("trial")?.setAttribute("aria-busy", "true");
  typed = setTimeout(() => load("?" + new URLSearchParams(new FormData(target.form)), { typing: true }), 250);
});
document.addEventListener("change", ({ target }) => {
  const boxes = target.id === "choose-all" ? document.querySelectorAll("#rows .choose")
    : target.matches("#rows .choose") ? [target] : [];
  for (const box of boxes) {
    if (target.checked) chosen.set(box.value, box.closest("tr").dataset.state);
    else chosen.delete(box.value);
  }
  settle();
});
document.addEventListener("reset", () => {
  chosen.clear();
  setTimeout(settle);
});
document.addEventListener("error", ({ target }) => { // a picture that cannot be had leaves its place empty
  if (target.matches?.("img.thumb")) target.setAttribute("data-gone", "");
}, true);
document.addEventListener("visibilitychange", () => (document.hidden ? clearTimeout(timer) : look()));
addEventListener("popstate", () => load(location.href));
addEventListener("online", look);
document.documentElement.classList.add("live");
if ("failed" in document.body.dataset) failures = 1;
else seen = Date.now();
history.replaceState(null, "", location.href.replace(/([?&])said=[^&]*&?/, "$1"));
settle();
timer = setTimeout(look, every);
