package dashboard_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/chromium"
)

func testGone(t *testing.T, c *chromium.Browser) {
	w := newWorker(t)
	w.listed = []desk.Listed{{ID: "1", State: "live", Title: "Reading lamp"}}
	w.count()
	p := c.Open(t, w.URL, 1200)
	p.Until(`document.getElementById("headline").innerText === "The one product is on sale." &&
		document.querySelector("#rows a")`)
	w.set(func() { w.answer = func(http.ResponseWriter) { panic(http.ErrAbortHandler) } })
	p.Eval(look)
	p.Until(`document.getElementById("headline").innerText === "The worker does not answer."`)
	p.Until(`/Last seen (just now|\d+ s ago)\. What is shown below is from then\./.test(
		document.getElementById("lines").innerText)`)
	p.Eval(`location.hash = "#id=1"`)
	p.Until(`document.getElementById("panel").open &&
		document.getElementById("panel-stale").innerText.startsWith("The worker does not answer.")`)
	p.Key("Escape")
	p.Until(`!document.getElementById("panel").open && document.title === "! pubsync" &&
		document.querySelector("#rows").innerText.includes("Reading lamp")`)
	// The page also asks by itself: the button may be gone by the time that the worker answers again.
	p.Eval(`globalThis.askNow = [...document.querySelectorAll("#actions button")]
		.find((b) => b.innerText === "Ask now"); Object.defineProperty(document, "hidden", { get: () => true }); ` + look)
	w.set(func() { w.answer = nil })
	p.Eval(`globalThis.askNow.click()`)
	p.Until(`document.getElementById("headline").innerText === "The one product is on sale." &&
		document.title === "pubsync"`)
}

func testLoggedOut(t *testing.T, c *chromium.Browser) {
	w := newWorker(t)
	w.answer = func(rw http.ResponseWriter) { http.Error(rw, "token needed", http.StatusUnauthorized) }
	p := c.Open(t, w.URL, 1200)
	p.Until(`document.getElementById("headline").innerText === "Your login has ended."`)
	if path := p.Eval(`document.querySelector("#actions a").pathname`); path != "/" {
		t.Errorf("the login is at %v", path)
	}
	w.set(func() { w.answer = nil }) // logged in from another tab
	p.Eval(look)
	p.Until(`document.getElementById("headline").innerText === "The import list is empty."`)
}

func testError(t *testing.T, c *chromium.Browser) {
	w := newWorker(t)
	p := c.Open(t, w.URL, 1200)
	for _, tt := range []struct {
		name, headline, reason string
		answer                 func(http.ResponseWriter)
	}{
		{
			"the store's", "The worker cannot say how things stand.", "read store: bad page",
			func(rw http.ResponseWriter) { http.Error(rw, "read store: bad page", http.StatusServiceUnavailable) },
		},
		{
			"a proxy's page", "The worker cannot say how things stand.", "HTTP 502",
			func(rw http.ResponseWriter) {
				rw.Header().Set("Content-Type", "text/html")
				rw.WriteHeader(http.StatusBadGateway)
				fmt.Fprint(rw, hostile)
			},
		},
		{
			"another server's page", "The worker does not answer.", "the answer is not the worker’s",
			func(rw http.ResponseWriter) { fmt.Fprint(rw, hostile) },
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p.T = t
			w.set(func() { w.answer = tt.answer })
			p.Eval(look)
			p.Until(`document.getElementById("headline").innerText === ` + chromium.Quoted(tt.headline))
			p.Until(`document.getElementById("reason").innerText === ` + chromium.Quoted(tt.reason))
		})
	}
	p.T = t
}

func testHidden(t *testing.T, c *chromium.Browser) {
	w := newWorker(t)
	p := c.Open(t, w.URL, 1200)
	p.Until(`document.getElementById("headline").innerText === "The import list is empty."`)
	before := w.asked("GET /api/v1/status")
	p.Pass(20 * time.Second)
	if n := w.asked("GET /api/v1/status") - before; n < 3 || n > 8 {
		t.Errorf("asked %d times in 20 seconds of looking", n)
	}
	p.Eval(`Object.defineProperty(document, "hidden", { get: () => globalThis.away ?? true, configurable: true }); ` +
		look)
	before = w.asked("GET /api/v1/status")
	p.Pass(time.Minute)
	if n := w.asked("GET /api/v1/status") - before; n > 1 {
		t.Errorf("asked %d times while hidden", n)
	}
	p.Eval(`globalThis.away = false; ` + look)
	before = w.asked("GET /api/v1/status")
	p.Pass(20 * time.Second)
	if n := w.asked("GET /api/v1/status") - before; n < 3 {
		t.Errorf("asked %d times after it came back", n)
	}
}

func testCatalogue(t *testing.T, c *chromium.Browser) {
	w := newWorker(t)
	p := c.Open(t, w.URL, 1200)
	p.Until(`document.getElementById("headline").innerText === "The import list is empty."`)
	p.Until(`performance.getEntriesByName(location.origin + "/catalog/").length`)
	if shown := p.Eval(`document.getElementById("catalogue").checkVisibility()`); shown != false {
		t.Error("a link to pages that are not there")
	}
	w.set(func() { w.catalogue = true })
	p.Reload()
	p.Until(`document.getElementById("catalogue").checkVisibility()`)
}
