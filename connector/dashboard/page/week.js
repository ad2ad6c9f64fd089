// What each of the pictures of the last seven days shows.

const weekEvery = 60000; // milliseconds
const week = { asked: 0 };

async function refreshWeek() {
  if (Date.now() - week.asked < weekEvery) return;
  week.asked = Date.now();
  const answer = await ask("api/v1/series");
  showWeek(answer.hours ?? [], answer.lagBounds ?? []);
}

function showWeek(points, bounds) {
  byID("week").hidden = points.length === 0;
  if (!points.length) return;
  const hours = hoursOf(points);
  refill(byID("charts"), [
    pointsChart(points, hours), backlogChart(points, hours), statesChart(points, hours),
    webhooksChart(points, hours), lagsChart(points, hours, bounds),
  ]);
}

function pointsChart(points, hours) {
  const [spent, restored] = [sum(points, (p) => p.spent), sum(points, (p) => p.restored)];
  const share = restored ? Math.min((100 * spent) / restored, 100) : 0;
  const most = Math.max(greatest(points, (p) => Math.max(p.restored, p.spent)), 1);
  const said = number(Math.round(spent)) + " used of " + number(Math.round(restored)) + " restored";
  return chart("Points", percent(share) + " of what was restored", said, hours, number(Math.round(most)) + " an hour", [
    bars(points, hours, most, (p) => p.restored, "pale"), bars(points, hours, most, (p) => p.spent, "accent"),
  ], legendOf(["accent", "used"], ["pale", "restored"]));
}

function backlogChart(points, hours) {
  const peak = greatest(points, (p) => p.due);
  const most = round(peak);
  return chart("Backlog", "at most " + count(peak, "publication", "publications"), "at most " + number(peak) + " due",
    hours, number(most), bars(points, hours, most, (p) => p.due, "busy"));
}

function statesChart(points, hours) {
  const of = (...names) => (p) => names.reduce((all, name) => all + (Number(p.states?.[name]) || 0), 0);
  const parts = [["good", of("live", "partial")], ["busy", of("pending")], ["attention", of("blocked", "held")],
    ["supplier", of("rejected")]];
  const all = (p) => parts.reduce((n, [, value]) => n + value(p), 0);
  const most = Math.max(greatest(points, all), 1);
  const last = points.at(-1);
  const words = number(parts[0][1](last)) + " of " + number(all(last)) + " on sale";
  return chart("States", words, words + " now", hours, number(most), stack(points, hours, most, parts),
    legendOf(["good", "on sale"], ["busy", "pending"], ["attention", "you"], ["supplier", "supplier"]));
}

function webhooksChart(points, hours) {
  const all = sum(points, (p) => p.webhooks ?? 0);
  const most = round(greatest(points, (p) => p.webhooks ?? 0));
  return chart("Webhooks", number(all) + " in all", number(all) + " accepted", hours, number(most) + " an hour",
    bars(points, hours, most, (p) => p.webhooks ?? 0, "accent"));
}

// lagsChart shows up to how long half of each hour's changes took, by the bounds in which they are counted.
function lagsChart(points, hours, bounds) {
  const median = (lags) => {
    const half = sum(lags ?? [], (n) => n) / 2;
    let before = 0;
    return half ? (lags.findIndex((n) => (before += n) >= half) + 1) : 0;
  };
  const total = bounds.map((_, i) => sum(points, (p) => p.lags?.[i] ?? 0));
  total.push(sum(points, (p) => p.lags?.[bounds.length] ?? 0));
  const usual = median(total);
  const name = (place) => (place > bounds.length ? "over " + span(bounds.at(-1)) : "within " + span(bounds[place - 1]));
  const words = usual ? "half of them " + name(usual) : "none yet";
  return chart("From change to shop", words, words, hours, "over " + span(bounds.at(-1)),
    bars(points, hours, bounds.length + 1, (p) => median(p.lags), "good"));
}
