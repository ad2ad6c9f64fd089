// The verdict answers from the status alone whether all is well, and if not, who can mend it. It is
// a pure function: the first case that fits.
//
//   level      bad: the work stands still · attention: you are needed · busy: it goes on without you · good
//   title      the answer in words
//   reason     what the other side said, where it said something
//   lines      further facts, texts and times
//   share      progress of an import, [settled, of]
//   actions    what can be done from here, by name
function verdict({ status, lost, answers, seen, loggedOut }) {
  if (loggedOut) return { level: "bad", title: "Your login has ended.",
    lines: [["Log in again to see how things stand."]], actions: ["login"] };
  if (lost) {
    const bad = { level: "bad", reason: lost, actions: ["ask"] };
    if (answers) return { ...bad, title: "The worker cannot say how things stand.", lines: shownFrom(seen) };
    const lines = shownFrom(seen);
    lines.push(["The page goes on asking. What was acknowledged is safe in the store; " +
      "look at the worker’s log, or start it again."]);
    return { ...bad, title: "The worker does not answer.", lines };
  }
  if (!status) return { level: "busy", title: "Asking the worker …", lines: [], actions: [] };

  const n = tally(status);
  return standing(status, n) ?? needed(status, n) ?? starting(status, n) ?? settled(status, n);
}

const shownFrom = (seen) => [seen
  ? ["Last seen ", when(seen), ". What is shown below is from then."]
  : ["It has not answered since this page was opened."]];

function tally(status) {
  const n = Object.fromEntries(states.map((s) => [s.name, Number(status.publications?.[s.name]) || 0]));
  n.all = Object.values(n).reduce((a, b) => a + b, 0);
  n.listed = n.all - n.withdrawn;
  n.you = n.blocked + n.held;
  return n;
}

// standing is the verdict while the work as a whole is stopped.
function standing(status, n) {
  const rest = n.listed ? [[summary(n)]] : [];
  if (status.store?.error) {
    return {
      level: "bad", title: "The store cannot be written.", reason: status.store.error, actions: [],
      lines: [["Webhooks are answered 503 until this is mended, and delivered again by the marketplace. " +
        "Nothing acknowledged is lost."], ...rest],
    };
  }
  if (status.shop?.paused) {
    const name = status.shop.name ? "The shop (" + status.shop.name + ")" : "The shop";
    return { level: "bad", title: name + " cannot be used.", reason: status.shop.reason,
      lines: [again(status.shop), ...rest], actions: ["sweep"] };
  }
  if (status.marketplace?.paused) {
    const side = status.marketplace;
    return { level: "bad", title: "The marketplace cannot be used.", reason: side.reason, lines: [again(side), ...rest],
      actions: ["sweep"] };
  }
  const failed = sweepError(status.sweeps);
  if (failed) {
    return {
      level: "bad", title: "The import list cannot be read.", reason: failed, actions: ["sweep"],
      lines: [["It is tried again by itself. Products on sale stay as they are."], ...rest],
    };
  }
  return null;
}

// sweepError is the last sweep's: an older failure of the other kind has been overtaken.
function sweepError(sweeps) {
  const last = [sweeps?.incremental, sweeps?.full].filter((s) => momentOf(s?.at))
    .sort((a, b) => momentOf(b.at) - momentOf(a.at))[0];
  return last?.error ?? "";
}

const again = (side) => (momentOf(side.until)
  ? ["Tried again ", when(side.until, { due: true }), ". Nothing is lost meanwhile."]
  : ["Tried again when its check passes, or when you ask. Nothing is lost meanwhile."]);

// needed is the verdict while the merchant has something to do.
function needed(status, n) {
  if (n.you) {
    const lines = [];
    if (n.blocked) lines.push([count(n.blocked, "is",
      "are") + " blocked: something has to be done in the shop or in the settings."]);
    if (n.held) lines.push([count(n.held, "is held: a change waits",
      "are held: changes wait") + " for your approval."]);
    return {
      level: "attention", title: count(n.you, "product needs you.", "products need you."),
        lines: [...lines, [summary(n)]],
      actions: [n.blocked && "blocked", n.held && "held", n.held && "approve", n.blocked && "retry"],
    };
  }
  if (status.webhook?.error) {
    return {
      level: "attention", title: "The webhook is not registered.", reason: status.webhook.error, actions: [],
      lines: [["Until it is, changes are found by sweeps, a few minutes later. It is tried again by itself."],
        ...(n.listed ? [[summary(n)]] : [])],
    };
  }
  if (status.reportsDenied) {
    return {
      level: "attention", title: "The marketplace takes no reports.", reason: status.reportsDenied, actions: [],
      lines: [["What is on sale stays on sale. The reports are made once the token may."],
        ...(n.listed ? [[summary(n)]] : [])],
    };
  }
  const refused = Number(status.webhook?.refused?.inARow);
  if (refused >= manyRefused) {
    return {
      level: "attention", title: "Webhooks are refused.", reason: status.webhook.refused.says, actions: [],
      lines: [[number(refused) + " deliveries in a row were refused. After " + number(status.webhook.refused.allowed) +
        " the marketplace deletes the registration. pubsync status says what to do."],
          ...(n.listed ? [[summary(n)]] : [])],
    };
  }
  return null;
}

// manyRefused is how many refusals in a row are no accident.
const manyRefused = 5;

// starting is the verdict of a list that is empty, or not read yet.
function starting(status, n) {
  if (n.all) return null;
  if (!momentOf(status.sweeps?.incremental?.at) && !momentOf(status.sweeps?.full?.at)) {
    return { level: "busy", title: "Reading the import list for the first time …", lines: [], actions: [] };
  }
  const next = momentOf(status.sweeps?.next)
    ? [" The list is read again ", when(status.sweeps.next, { due: true }), "."] : [];
  return {
    level: "good", title: "The import list is empty.", actions: ["read"],
    lines: [["Put products on your import list at the marketplace, and they appear here and in the shop.", ...next]],
  };
}

// settled is the verdict of a list that is on sale, or will be without anybody's help.
function settled(status, n) {
  if (n.pending) {
    const lines = [[number(n.live + n.partial) + " of " + count(n.listed, "product is",
      "products are") + " up to date; what is pending follows by itself."],
      ...(n.rejected
        ? [[count(n.rejected, "is", "are") + " rejected: the shop does not take what the supplier gives."]] : [])];
    if (Number(status.due) > 0) {
      return { level: "busy", title: "Products are on their way; nothing needs you.", lines,
        share: [n.listed - n.pending, n.listed], actions: [] };
    }
    // Nothing can be done just now: these are tried later, and some, such as an entry that the
    // marketplace shows no listing for, for very long.
    return { level: "busy",
      title: "Nothing needs you; " + count(n.pending, "product has", "products have") + " to wait.", lines,
        actions: ["pending"] };
  }
  if (n.rejected) {
    return {
      level: "busy",
        title: "Nothing needs you; " + count(n.rejected, "product needs its supplier.",
          "products need their suppliers."),
      lines: [["The shop does not take them as they are. They are tried again when the supplier changes them."],
        [summary(n)]],
      actions: ["rejected", "retry"],
    };
  }
  if (Number(status.refused) > 0) {
    return {
      level: "busy",
        title: "Nothing needs you; the marketplace refuses " + count(Number(status.refused), "report.", "reports."),
      lines: [["What is on sale stays on sale. Each report is made again by itself, " +
        "and its product tells why it is refused."], [summary(n)]],
      actions: ["retry"],
    };
  }
  if (!n.listed) {
    return {
      level: "good", title: "Nothing is on sale.", actions: ["read"],
      lines: [[n.withdrawn === 1 ? "The one product is withdrawn."
        : "All " + number(n.withdrawn) + " products are withdrawn."]],
    };
  }
  const lines = n.partial ? [[count(n.partial, "product lacks", "products lack") + " variants or pictures."]] : [];
  if (n.withdrawn) lines.push([count(n.withdrawn, "product is", "products are") + " withdrawn from the shop."]);
  const title = n.listed === 1 ? "The one product is on sale." : "All " + number(n.listed) + " products are on sale.";
  return { level: "good", title, lines, actions: n.partial ? ["partial", "retry"] : [] };
}

// summary counts what is on sale as it should be, and the rest by state. A change that is held or
// pending leaves what was on sale there, and the status does not tell of how many that is true.
function summary(n) {
  const parts = [number(n.live + n.partial) + " of " + number(n.listed) + " up to date"];
  for (const name of ["blocked", "rejected", "held", "pending"]) if (n[name]) parts.push(number(n[name]) + " " + name);
  return parts.join(" · ");
}
