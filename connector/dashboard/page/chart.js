// The last seven days as pictures: an hour is one unit wide, a picture 100 units high. Each says in words what it
// shows.

const chartHigh = 100;

// svg makes an element of a picture.
function svg(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children.flat(Infinity).filter(Boolean));
  return made;
}

// A span of hours: the x of an hour, and how many there are.
function hoursOf(points) {
  const hour = 3600000;
  const end = Math.floor((Date.now() + skew) / hour);
  const first = Math.max(Math.floor(Date.parse(points[0].at) / hour), end - 7 * 24 + 1);
  return { first, wide: Math.max(end - first + 1, 12), at: (p) => Math.floor(Date.parse(p.at) / hour) - first };
}

// bars draws a value an hour; one that is null leaves its place empty.
function bars(points, hours, most, value, tone) {
  return points.map((p) => {
    const v = value(p);
    if (!v || hours.at(p) < 0) return null;
    const high = Math.max((chartHigh * Math.min(v, most)) / most, 1);
    return svg("rect",
      { x: hours.at(p) + 0.08, y: chartHigh - high, width: 0.84, height: high, class: "tone-" + tone });
  });
}

// stack draws several values an hour, one above the other.
function stack(points, hours, most, parts) {
  return points.flatMap((p) => {
    let y = chartHigh;
    if (hours.at(p) < 0) return [];
    return parts.map(([tone, value]) => {
      const high = (chartHigh * value(p)) / most;
      y -= high;
      return high ? svg("rect", { x: hours.at(p), y, width: 1.02, height: high, class: "tone-" + tone }) : null;
    });
  });
}

// days are lines at midnight, by the clock of the browser.
function days(hours) {
  const lines = [];
  for (let x = 0; x < hours.wide; x++) {
    if (new Date((hours.first + x) * 3600000).getHours() === 0) {
      lines.push(svg("line", { x1: x, x2: x, y1: 0, y2: chartHigh, class: "midnight" }));
    }
  }
  return lines;
}

const weekday = new Intl.DateTimeFormat("en-GB", { weekday: "short", hour: "2-digit", minute: "2-digit" });

// chart is a picture with its title, its greatest value and its first hour.
function chart(title, now, said, hours, most, drawn, legend) {
  return el("figure", { class: "chart" },
    el("figcaption", {}, el("strong", {}, title), " ", el("span", { class: "dim" }, now)),
    el("p", { class: "most dim", "aria-hidden": "true" }, most),
    svg("svg", { viewBox: "0 0 " + hours.wide + " " + chartHigh, preserveAspectRatio: "none", role: "img",
      "aria-label": title + ": " + said }, days(hours), drawn),
    el("div", { class: "axis dim", "aria-hidden": "true" },
      el("span", {}, weekday.format(new Date(hours.first * 3600000))), el("span", {}, "now"), legend));
}

const legendOf = (...parts) =>
  el("span", { class: "legend" }, parts.map(([tone, name]) => [el("i", { class: "tone-" + tone }), name + " "]));

// round is the next number above that is easy to read.
function round(n) {
  const power = 10 ** Math.floor(Math.log10(Math.max(n, 1)));
  return [1, 2, 5, 10].map((f) => f * power).find((m) => m >= n) ?? n;
}

const sum = (points, value) => points.reduce((all, p) => all + value(p), 0);
const greatest = (points, value) => points.reduce((most, p) => Math.max(most, value(p)), 0);
