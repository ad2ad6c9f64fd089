// The columns of the list.

const columns = [
  { label: "Product" },
  { label: "State" },
  { label: "Price", number: true },
  { label: "Stock", number: true },
  { label: "Margin", number: true, title: "price without VAT, above the cost; the lowest of the variants" },
  { label: "Why" },
  { label: "Changed" },
];

function makeHeads() {
  byID("heads").append(...columns.map((c) => el("th",
    { scope: "col", class: c.number && "number", title: c.title }, c.label)));
}
