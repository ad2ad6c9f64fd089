// Every element is made here. Titles, ids and messages come from others and may hold anything: they
// enter the page as text alone.

// el makes an element. A child is a node or a text; null and false leave no trace.
function el(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "click") made.addEventListener("click", value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false && c !== ""));
  return made;
}

const byID = (id) => document.getElementById(id);

// tell sets a text only where it changes, so that nothing is announced twice.
function tell(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// arrange gives a parent these children and moves none that is in its place already: focus and selection stay.
function arrange(parent, nodes) {
  const staying = new Set(nodes);
  for (const child of [...parent.childNodes]) if (!staying.has(child)) child.remove();
  let at = parent.firstChild;
  for (const node of nodes) {
    if (node === at) at = at.nextSibling;
    else parent.insertBefore(node, at);
  }
}

// refill gives a parent these children and replaces only those that differ: a selected text stays
// selected from poll to poll.
function refill(parent, nodes) {
  const now = nodes.flat(Infinity).filter((n) => n || n === 0)
    .map((n) => (n instanceof Node ? n : document.createTextNode(n)));
  arrange(parent, now.map((n, i) => (parent.childNodes[i]?.isEqualNode(n) ? parent.childNodes[i] : n)));
}

// webAddress is an http or https address, and null for any other: a shop could answer with javascript: or file:.
function webAddress(text) {
  try {
    const url = new URL(text);
    return url.protocol === "https:" || url.protocol === "http:" ? url.href : null;
  } catch {
    return null;
  }
}

// outside is a link to another site, or a text where webAddress is null.
function outside(address, label) {
  const href = webAddress(address);
  if (!href) return el("bdi", {}, address);
  return el("a", { href, target: "_blank", rel: "noopener noreferrer" }, label ?? address,
    el("span", { class: "unseen" }, " (opens in a new tab)"));
}

const numbers = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const number = (n) => numbers.format(Number(n) || 0);
const percent = (n) => numbers.format(Math.round(n)) + " %";
const count = (n, one, many) => number(n) + " " + (n === 1 ? one : many);

// button makes a button that is busy until its work ends.
function button(label, work, attributes) {
  const made = el("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", async () => {
    if (made.getAttribute("aria-disabled") === "true") return;
    made.setAttribute("aria-disabled", "true"); // not disabled: that would take the focus away
    try {
      await work();
    } finally {
      made.removeAttribute("aria-disabled");
    }
  });
  return made;
}
