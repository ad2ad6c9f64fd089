// The columns of the list, and the orders in which the worker can give it.

const columns = [
  { label: "Product", order: "title" },
  { label: "State", order: "state" },
  { label: "Price", order: "price", first: "-", number: true },
  { label: "Stock", order: "stock", number: true },
  { label: "Margin", order: "margin", number: true,
    title: "price without VAT, above the cost; the lowest of the variants" },
  { label: "Why" },
  { label: "Changed", order: "changed", first: "-" },
];

// Every order, in words; a minus before it is the reverse.
const orders = {
  "": "as listed",
  title: "title, A to Z", "-title": "title, Z to A",
  state: "state",
  price: "price, lowest first", "-price": "price, highest first",
  stock: "stock, lowest first", "-stock": "stock, highest first",
  margin: "margin, lowest first", "-margin": "margin, highest first",
  "-changed": "changed last", changed: "changed first",
};

const orderNamed = (name) => Object.hasOwn(orders, name) || name === "-state";

// A press on a heading sorts by it, a second one the other way round, a third as before.
function nextOrder(column, now) {
  const one = (column.first ?? "") + column.order;
  const other = column.first ? column.order : "-" + column.order;
  return now === one ? other : now === other ? "" : one;
}

function makeHeads() {
  byID("heads").append(...columns.map((c) => el("th",
    { scope: "col", class: c.number && "number", "data-order": c.order, title: c.title },
    c.order
      ? el("button", { type: "button", class: "sort", click: () => show({ order: nextOrder(c, page.view.order) }) },
        c.label)
      : c.label)));
  byID("order").replaceChildren(...Object.entries(orders).map(([value, words]) => el("option", { value }, words)));
  byID("order").addEventListener("change", () => show({ order: byID("order").value }));
}

function showHeads() {
  const { order } = page.view;
  for (const head of byID("heads").querySelectorAll("[data-order]")) {
    const sorted = order.replace(/^-/, "") === head.dataset.order;
    if (sorted) head.setAttribute("aria-sort", order.startsWith("-") ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  }
  byID("order").value = order;
}
