// The worker is asked over the API that scripts use. Every address is relative, so that the page
// also works behind a proxy's prefix.

// A Refusal is an answer with an error status, or without a status no answer at all.
class Refusal extends Error {
  constructor(message, status = 0) {
    super(message);
    this.status = status;
  }
}

const patience = 15000; // milliseconds for one answer

async function ask(path, { method = "GET", body, signal } = {}) {
  const limit = AbortSignal.timeout(patience);
  let answer;
  try {
    answer = await fetch(path, {
      method,
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
      cache: "no-store",
    });
    if (!answer.ok) throw new Refusal(await reasonOf(answer), answer.status);
    setClock(answer.headers.get("Date"));
    if (answer.status === 202 || answer.status === 204) return null;
  } catch (err) {
    if (signal?.aborted || err instanceof Refusal) throw err;
    throw new Refusal(limit.aborted ? "no answer within " + patience / 1000 + " seconds" : "no connection");
  }
  try {
    return await answer.json();
  } catch (err) {
    if (signal?.aborted) throw err;
    throw new Refusal("the answer is not the worker’s");
  }
}

// reasonOf is the text of an error. An HTML page comes from a proxy, and only its status is shown.
async function reasonOf(answer) {
  const plain = (answer.headers.get("Content-Type") ?? "").startsWith("text/plain");
  const text = plain ? (await answer.text()).trim().slice(0, 500) : "";
  return text || "HTTP " + answer.status;
}

// publicationPath is the address of one publication. A browser cannot send an id of nothing but one
// or two dots, however it is written: it would take it for a step through folders.
function publicationPath(id, rest = "") {
  if (id === "" || id === "." || id === "..") throw new Refusal("a browser cannot ask for this id: use pubsync explain",
    404);
  return "api/v1/publications/" + encodeURIComponent(id) + rest;
}

// listPath is the address of a page of the list that a view shows.
function listPath({ state, find }, after, limit) {
  const query = new URLSearchParams({ limit });
  for (const [name, value] of Object.entries({ state, find: find?.trim(), after })) {
    if (value) query.set(name, value);
  }
  return "api/v1/publications?" + query;
}
