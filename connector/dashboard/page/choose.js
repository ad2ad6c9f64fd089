// The publications that a person has chosen in the list, over all of its pages, and what can be done with them.

const chosen = new Map(); // id -> the state in which it was chosen

// chooser is the box that chooses one publication.
function chooser(p) {
  const box = el("input", { type: "checkbox", class: "choose", "aria-label": "Choose " + (p.title || p.id),
    "data-id": p.id });
  box.checked = chosen.has(p.id);
  box.addEventListener("change", () => {
    if (box.checked) chosen.set(p.id, p.state);
    else chosen.delete(p.id);
    showChosen();
  });
  return box;
}

// chooseAll chooses all of the page, or none of it.
function chooseAll() {
  for (const one of byID("rows").querySelectorAll(".choose")) {
    if (byID("choose-all").checked) chosen.set(one.dataset.id, one.closest("tr").dataset.state);
    else chosen.delete(one.dataset.id);
  }
  showChosen();
}

function showChosen() {
  const boxes = [...byID("rows").querySelectorAll(".choose")];
  for (const box of boxes) box.checked = chosen.has(box.dataset.id);
  const checked = boxes.filter((box) => box.checked).length;
  const all = byID("choose-all");
  all.checked = checked > 0 && checked === boxes.length;
  all.indeterminate = checked > 0 && checked < boxes.length;
  byID("chosen").hidden = chosen.size === 0;
  tell(byID("chosen-count"), count(chosen.size, "product chosen", "products chosen"));
  const held = [...chosen.values()].includes("held");
  for (const id of ["chosen-approve", "chosen-decline"]) byID(id).hidden = !held;
}

function chooseNone() {
  chosen.clear();
  showChosen();
}

// withChosen does something with what is chosen, and ends the choice where it worked.
async function withChosen(path, body, said) {
  const ids = [...chosen.keys()];
  await act(() => post(path, { ids, ...body }), (a) => {
    chooseNone();
    return said(a);
  });
}

function startChoosing() {
  byID("choose-all").addEventListener("change", chooseAll);
  byID("chosen-actions").append(
    button("Retry", () => withChosen("api/v1/retry", {},
      (a) => count(a?.count, "product is", "products are") + " tried again now."), { id: "chosen-retry" }),
    button("Approve", () => withChosen("api/v1/held", { at: page.seen }, approvedWords),
      { id: "chosen-approve", class: "strong" }),
    button("Decline", () => withChosen("api/v1/held", { decline: true, at: page.seen }, declinedWords),
      { id: "chosen-decline" }),
    button("Choose none", chooseNone, { id: "chosen-none" }));
}
