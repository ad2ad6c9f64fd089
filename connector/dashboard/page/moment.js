// Times are shown as distances, with the absolute time on hover. Distances are counted by the
// worker's clock, since the browser's may be minutes off.

let skew = 0; // milliseconds by which the worker's clock is ahead

function setClock(dateHeader) {
  const theirs = Date.parse(dateHeader ?? "");
  if (Number.isNaN(theirs)) return;
  const ahead = theirs + 500 - Date.now(); // the header has whole seconds
  skew = Math.abs(ahead) > 3000 ? ahead : 0;
}

// momentOf reads a time. The zero time, which means never, and a text that is no time are null.
function momentOf(text) {
  if (!text || String(text).startsWith("0001-")) return null;
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? null : date;
}

function span(seconds) {
  if (seconds < 60) return Math.round(seconds) + " s";
  if (seconds < 3600) return Math.floor(seconds / 60) + " min";
  if (seconds < 48 * 3600) return Math.floor(seconds / 3600) + " h";
  return Math.floor(seconds / 86400) + " days";
}

// distance tells how far away a time is. With due, a time in the past is now.
function distance(date, due) {
  const seconds = (date.getTime() - Date.now() - skew) / 1000;
  if (due && seconds < 1) return "now";
  if (Math.abs(seconds) < 2) return "just now";
  return seconds > 0 ? "in " + span(seconds) : span(-seconds) + " ago";
}

const absoluteForm = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "long" });
const absolute = (date) => absoluteForm.format(date) + " (" + date.toISOString().replace(/\.\d+Z$/, "Z") + ")";

// when is a time as an element that updates itself, or a word where there is no time.
function when(text, { none = "never", due = false } = {}) {
  const date = momentOf(text);
  if (!date) return document.createTextNode(none);
  return el("time", { datetime: date.toISOString(), title: absolute(date), "data-due": due }, distance(date, due));
}

function keepTimesTrue() {
  for (const time of document.querySelectorAll("time[datetime]")) {
    tell(time, distance(new Date(time.dateTime), time.hasAttribute("data-due")));
  }
}
