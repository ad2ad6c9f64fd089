// The view stands in the address behind the #: it survives a reload, can be sent to somebody, and
// works with the browser's back button.

function viewOf(hash) {
  const said = new URLSearchParams(hash.replace(/^#/, ""));
  const state = said.get("state") ?? "";
  return { page: said.get("page") === "prices" ? "prices" : "",
    state: stateNamed(state) ? state : "", find: (said.get("find") ?? "").slice(0, 200),
    id: said.get("id") ?? "" };
}

function hashOf(view) {
  const said = new URLSearchParams();
  for (const name of ["page", "state", "find", "id"]) if (view[name]) said.set(name, view[name]);
  return "#" + said;
}

const page = {
  view: viewOf(location.hash),
  status: null, // as last answered
  lost: "", // why it could not be asked
  answers: false, // it answered then, but with an error
  loggedOut: false,
  seen: null, // when it last answered, by its own clock
};

// show goes to another view. Typing in the search field adds nothing to the history.
function show(change, { replace = false } = {}) {
  const hash = hashOf({ ...page.view, ...change });
  if (hash === hashOf(page.view)) return;
  if (replace) history.replaceState(null, "", hash);
  else history.pushState(null, "", hash);
  viewChanged();
}
