// What each state means and who mends it, in the order in which the worker tries the states.
const states = [
  {
    name: "blocked", who: "needs you",
    meaning: "You must do something in the shop or in the settings; each message says what. " +
      "Tried again when you ask, or when the shop’s check passes.",
    none: "Nothing is blocked.",
  },
  {
    name: "rejected", who: "needs the supplier",
    meaning: "The shop refuses the product as the supplier gives it; an earlier version may still be on sale. "
      + "Tried again when the supplier changes it, or when you ask.",
    none: "Nothing is rejected.",
  },
  {
    name: "held", who: "needs you",
    meaning: "A change looks too large to be made without a person’s word; the rest of it has been made. "
      + "It goes on when you approve it, or when it is taken back upstream.",
    none: "Nothing is held.",
  },
  {
    name: "pending", who: "needs time",
    meaning: "Not settled yet: new, or something went wrong that passes by itself. " +
      "Tried again at once, then with growing pauses.",
    none: "Nothing is pending.",
  },
  {
    name: "partial", who: "needs the supplier",
    meaning: "On sale, but without some variants or pictures. " +
      "Tried again when the supplier changes it; pictures that could not be fetched come by themselves.",
    none: "Nothing is only partly on sale.",
  },
  {
    name: "live", who: "nothing to do",
    meaning: "On sale, as last read.",
    none: "Nothing is on sale yet.",
  },
  {
    name: "withdrawn", who: "nothing to do",
    meaning: "Gone from the import list, or its listing or variants are, and taken out of sale. " +
      "Comes back to life when it is listed again.",
    none: "Nothing has been withdrawn.",
  },
];

const stateNamed = (name) => states.find((s) => s.name === name);

// Why a problem stays, by its kind.
const problems = {
  transient: "This passes by itself and is tried again.",
  rejected: "The supplier has to change the product.",
  blocked: "You have to do something in the shop or in the settings.",
  waiting: "The marketplace does not have all of it yet. It is looked at again.",
};

// What a brake holds, by its kind.
const holds = {
  price: "Price",
  "first-price": "First price",
  removal: "Removal from the shop",
  foreign: "Publishing what another tool may have made",
  rules: "Price by rules that no setting of yours changed",
};

// The same where all of one kind are meant.
const holdsOf = {
  price: "changes of price only",
  "first-price": "first prices only",
  removal: "removals from the shop only",
  foreign: "what another tool may have made only",
  rules: "prices by rules that no setting of yours changed only",
};

// Why a publication leaves the shop, by the reason kept with it.
const removals = {
  "absent": "gone from the import list",
  "no-listing": "the entry has no listing",
  "no-variants": "the listing has no variant",
};

const badge = (name) => el("span", { class: "badge", "data-state": stateNamed(name) ? name : "" }, name || "unknown");
