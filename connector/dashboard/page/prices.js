// The page of the price rules: they are tried on the list as it is, before they are real. Nothing is written.

const P = "PUBSYNC_PRICE_";
const prices = { values: null, trial: 0, failed: "" }; // values: the settings as the worker has them

// The rules that the page offers. A range has its bounds; a choice its words.
const rules = [
  { name: P + "BASE", label: "Prices are made from", choices: { "": "the msrp", cost: "the cost" } },
  { name: P + "MARKUP_PERCENT", label: "Markup", range: [-50, 200], unit: "%" },
  { name: P + "ADD", label: "Added to each price", number: true },
  { name: P + "VAT_PERCENT", label: "VAT", range: [0, 30], unit: "%" },
  { name: P + "MIN_MARGIN_PERCENT", label: "Least margin", range: [0, 150], unit: "%", none: "none beyond the cost" },
  { name: P + "ENDING", label: "Ending", placeholder: ".95" },
  { name: P + "TIERS", label: "Markup by base", placeholder: "0-10:120%,10-50:80%,50-:50%" },
  { name: P + "CATEGORIES", label: "Markup by category", placeholder: "GARDEN=+10%; FASHION/SHOES=80%" },
  { name: P + "NO_MSRP", label: "Without an msrp", choices: { "": "refused", cost: "from the cost" } },
  { name: P + "NO_MSRP_MARKUP_PERCENT", label: "… with a markup of", range: [0, 300], unit: "%" },
  { name: P + "SHIPPING", label: "Costs of sending",
    choices: { "": "left out", add: "added to the price", floor: "in the least price" } },
  { name: "PUBSYNC_SHIPPING_COUNTRY", label: "… to the country", placeholder: "NL" },
];

const fieldOf = (name) => document.querySelector('[data-rule="' + name + '"]');

// showPrices follows the view: it is a page of its own, in the place of the list.
function showPrices() {
  const here = page.view.page === "prices";
  byID("prices").hidden = !here;
  byID("to-list").hidden = !here;
  byID("to-prices").hidden = here;
  for (const other of document.querySelectorAll("main > :not(#prices, #verdict)")) other.classList.toggle("away", here);
  if (here && !prices.values) loadPrices();
}

async function loadPrices() {
  try {
    prices.values = (await ask("api/v1/rules")).values ?? {};
    byID("rules").replaceChildren(...rules.map(ruleRow));
    tierRows();
    await tryPrices();
  } catch (err) {
    tell(byID("trial-notice"), "The rules cannot be read: " + err.message);
  }
}

function ruleRow(rule) {
  const id = "rule-" + rule.name;
  const value = prices.values[rule.name] ?? "";
  const changed = (event) => {
    if (event.target.type === "range") fieldOf(rule.name).value = event.target.value;
    tryPricesSoon();
  };
  let field;
  if (rule.choices) {
    field = el("select", { id, "data-rule": rule.name },
      Object.entries(rule.choices).map(([v, words]) => el("option", { value: v }, words)));
  } else {
    field = el("input", { id, "data-rule": rule.name, autocomplete: "off", spellcheck: "false", maxlength: 2000,
      inputmode: rule.range || rule.number ? "decimal" : null, placeholder: rule.none ?? rule.placeholder ?? "0" });
  }
  field.value = value;
  field.addEventListener("input", changed);
  const row = el("div", { class: rule.range ? "rule ranged" : "rule" }, el("label", { for: id }, rule.label), field);
  if (rule.range) {
    const slider = el("input", { type: "range", min: rule.range[0], max: rule.range[1], step: 1,
      "aria-label": rule.label + " in percent", "data-slider": rule.name });
    slider.value = value || 0;
    slider.addEventListener("input", changed);
    field.addEventListener("input", () => { slider.value = field.value || 0; });
    row.append(el("span", { class: "unit dim" }, rule.unit), slider);
  }
  return row;
}

// tierRows are a slider for each tier that the field of the tiers has.
function tierRows() {
  const field = fieldOf(P + "TIERS");
  const parts = field.value.split(",").map((part) => /^\s*([\d.]*\s*-\s*[\d.]*)\s*:\s*(-?[\d.]+)\s*%\s*$/.exec(part));
  const known = field.value.trim() && parts.every(Boolean) ? parts : [];
  refill(byID("tiers"), known.map(([, bounds], i) => {
    const slider = el("input", { type: "range", min: 0, max: 300, step: 1, "data-tier": i,
      "aria-label": "Markup of the base " + bounds + " in percent" });
    return el("div", { class: "rule ranged" }, el("span", {}, bounds), el("span", { class: "number" }), slider);
  }));
  known.forEach(([, , percentage], i) => {
    const row = byID("tiers").children[i];
    row.querySelector("input").value = percentage;
    tell(row.querySelector(".number"), percentage + " %");
  });
}

function tierMoved(event) {
  const field = fieldOf(P + "TIERS");
  const parts = field.value.split(",");
  const at = Number(event.target.dataset.tier);
  parts[at] = parts[at].replace(/:.*/, ":" + event.target.value + "%");
  field.value = parts.join(",");
  tell(event.target.closest(".rule").querySelector(".number"), event.target.value + " %");
  tryPricesSoon();
}

// changes are the settings that differ from the worker's; "" stands for the default.
function changes() {
  const set = {};
  for (const field of byID("rules").querySelectorAll("[data-rule]")) {
    const [name, value] = [field.dataset.rule, field.value.trim()];
    if (value !== (prices.values[name] ?? "")) set[name] = value;
  }
  return set;
}

let trying = 0;
function tryPricesSoon() {
  clearTimeout(trying);
  trying = setTimeout(tryPrices, 250);
}

async function tryPrices() {
  const mine = ++prices.trial;
  const set = changes();
  showLines(set);
  byID("trial").setAttribute("aria-busy", "true");
  try {
    const trial = await ask("api/v1/rules", { method: "POST", body: { set } });
    if (mine !== prices.trial) return;
    tell(byID("trial-notice"), "");
    showTrial(trial, Object.keys(set).length > 0);
  } catch (err) {
    if (mine === prices.trial) tell(byID("trial-notice"), "These rules cannot be used: " + err.message);
  }
  byID("trial").setAttribute("aria-busy", "false");
}

// showLines prints what the env file would have to say.
function showLines(set) {
  const names = Object.keys(set);
  const line = (name) => (set[name] ? name + "=" + (/[\s#'"$]/.test(set[name]) ? "'" + set[name] + "'" : set[name])
    : "# " + name + " goes: its default counts");
  tell(byID("lines-env"), names.length ? names.map(line).join("\n") : "# nothing is changed");
}

function startPrices() {
  byID("rules-form").addEventListener("submit", (event) => event.preventDefault());
  byID("rules").addEventListener("input", (event) => {
    if (event.target.dataset.rule === P + "TIERS") tierRows();
  });
  byID("tiers").addEventListener("input", tierMoved);
  byID("rules-reset").addEventListener("click", () => {
    byID("rules").replaceChildren(...rules.map(ruleRow));
    tierRows();
    tryPrices();
  });
}
