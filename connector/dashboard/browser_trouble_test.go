package dashboard_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
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

func testError(t *testing.T, c *chromium.Browser) {
	w := newWorker(t)
	p := c.Open(t, w.URL, 1200)
	for _, tt := range []struct {
		headline, reason, then string
		away                   func(http.ResponseWriter)
	}{
		{"The worker cannot say how things stand.", "read store: bad page", "Ask now", nil},
		{
			"The worker cannot say how things stand.", "HTTP 502", "Ask now",
			func(rw http.ResponseWriter) {
				rw.Header().Set("Content-Type", "text/html")
				rw.WriteHeader(http.StatusBadGateway)
				fmt.Fprint(rw, "<h1>Bad gateway</h1>")
			},
		},
		{
			"The worker does not answer.", "the answer is not the worker’s", "Ask now",
			func(rw http.ResponseWriter) { fmt.Fprint(rw, "<h1>It works!</h1>") },
		},
		{
			"Your login has ended.", "", "Log in",
			func(rw http.ResponseWriter) { http.Error(rw, "token needed", http.StatusUnauthorized) },
		},
	} {
		w.set(func() { w.away, w.fails = tt.away, errors.New("read store: bad page") })
		p.Eval(look)
		want := strings.Join([]string{tt.headline, tt.reason, tt.then, "/"}, "|")
		p.Until(`[...document.querySelectorAll("#headline, #reason, #actions a")].map((e) => e.textContent).join("|") +
			"|" + document.querySelector("#actions a").pathname === ` + chromium.Quoted(want))
	}
}

func testHidden(t *testing.T, c *chromium.Browser) {
	w := newWorker(t)
	p := c.Open(t, w.URL, 1200)
	p.Until(`document.getElementById("headline").innerText === "The import list is empty."`)
	before := w.asked()
	p.Pass(20 * time.Second)
	if n := w.asked() - before; n < 3 || n > 8 {
		t.Errorf("asked %d times in 20 seconds of looking", n)
	}
	p.Eval(`Object.defineProperty(document, "hidden", { get: () => true }); ` + look)
	before = w.asked()
	p.Pass(time.Minute)
	if n := w.asked() - before; n > 1 {
		t.Errorf("asked %d times while hidden", n)
	}
}
