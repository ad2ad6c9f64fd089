package dashboard_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/dashboard"
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
	w.set(func() { w.away = func(http.ResponseWriter) { panic(http.ErrAbortHandler) } })
	p.Eval(look)
	p.Until(`document.getElementById("headline").innerText === "The worker does not answer."`)
	p.Until(`/Last seen (\d+ s ago)\. What is shown below is from then\./.test(
		document.getElementById("lines").innerText)`)
	p.Until(`document.title === "! pubsync" &&
		document.querySelector("#rows").innerText.includes("Reading lamp")`)
	// The page also asks by itself: the button may be gone by the time that the worker answers again.
	p.Eval(`globalThis.askNow = [...document.querySelectorAll("#actions a")]
		.find((b) => b.innerText === "Ask now"); Object.defineProperty(document, "hidden", { get: () => true }); ` + look)
	w.set(func() { w.away = nil })
	p.Eval(`globalThis.askNow.click()`)
	p.Until(`document.getElementById("headline").innerText === "The one product is on sale." &&
		document.title === "pubsync"`)
}

func testLoggedOut(t *testing.T, c *chromium.Browser) {
	w := newWorker(t)
	p := c.Open(t, w.URL, 1200)
	w.set(func() {
		w.away = func(rw http.ResponseWriter) { http.Error(rw, "token needed", http.StatusUnauthorized) }
	})
	p.Eval(look)
	p.Until(`document.getElementById("headline").innerText === "Your login has ended."`)
	if path := p.Eval(`document.querySelector("#actions a").pathname`); path != "/" {
		t.Errorf("the login is at %v", path)
	}
	w.set(func() { w.away = nil }) // logged in from another tab
	p.Eval(look)
	p.Until(`document.getElementById("headline").innerText === "The import list is empty."`)
}

func testError(t *testing.T, c *chromium.Browser) {
	w := newWorker(t)
	p := c.Open(t, w.URL, 1200)
	for _, tt := range []struct {
		name, headline, reason string
		away                   func(http.ResponseWriter)
	}{
		{
			"the store's", "The worker cannot say how things stand.", "read store: bad page", nil,
		},
		{
			"a proxy's page", "The worker cannot say how things stand.", "HTTP 502",
			func(rw http.ResponseWriter) {
				rw.Header().Set("Content-Type", "text/html")
				rw.WriteHeader(http.StatusBadGateway)
				fmt.Fprint(rw, "<h1>Bad gateway</h1>")
			},
		},
		{
			"another server's page", "The worker does not answer.", "the answer is not the worker’s",
			func(rw http.ResponseWriter) { fmt.Fprint(rw, "<h1>It works!</h1>") },
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p.T = t
			w.set(func() {
				w.away = tt.away
				w.answer = func(rw http.ResponseWriter) {
					rw.Header().Set("Pubsync-Exit", "5")
					http.Error(rw, "read store: bad page", http.StatusServiceUnavailable)
				}
			})
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
	before := w.asked("GET /")
	p.Pass(20 * time.Second)
	if n := w.asked("GET /") - before; n < 3 || n > 8 {
		t.Errorf("asked %d times in 20 seconds of looking", n)
	}
	p.Eval(`Object.defineProperty(document, "hidden", { get: () => globalThis.away ?? true, configurable: true }); ` +
		look)
	before = w.asked("GET /")
	p.Pass(time.Minute)
	if n := w.asked("GET /") - before; n > 1 {
		t.Errorf("asked %d times while hidden", n)
	}
	p.Eval(`globalThis.away = false; ` + look)
	before = w.asked("GET /")
	p.Pass(20 * time.Second)
	if n := w.asked("GET /") - before; n < 3 {
		t.Errorf("asked %d times after it came back", n)
	}
}

func testLinks(t *testing.T, c *chromium.Browser) {
	w := newWorker(t)
	p := c.Open(t, w.URL, 1200)
	const links = `[...document.querySelectorAll("nav a")].map((a) => a.getAttribute("href")).join()`
	if got := p.Eval(links); got != "?page=prices,metrics" {
		t.Errorf("links to %v", got)
	}
	w.set(func() {
		w.page = dashboard.Handler(w.desk(), dashboard.Options{Catalogue: true, Accounts: true})
	})
	p.Go(w.URL)
	if got := p.Eval(links); got != "catalog/,../../,?page=prices,metrics" {
		t.Errorf("links to %v", got)
	}
}
