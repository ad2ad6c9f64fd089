package dashboard_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/shopadapter"
)

// look has the page ask now, rather than when its time has come.
const look = `document.dispatchEvent(new Event("visibilitychange"))`

// TestBrowser is what only a browser can tell. All of it shares one: starting it costs more than any single test.
func TestBrowser(t *testing.T) {
	browser := startChromium(t)
	for _, tt := range []struct {
		name string
		run  func(*testing.T, *chromium)
	}{
		{"the verdict in words", testVerdict},
		{"a first look", testFirstLook},
		{"hostile data stays text", testHostile},
		{"a held price is approved", testApprove},
		{"approve all asks first", testApproveAll},
		{"a command that fails is told", testCommandFails},
		{"edits are given back when confirmed", testGiveBack},
		{"pages, filters and the search", testList},
		{"the worker goes away and comes back", testGone},
		{"a login that has ended", testLoggedOut},
		{"an error for an answer", testError},
		{"focus stays where it is", testFocus},
		{"the address holds the view", testAddress},
		{"nobody asks from a hidden tab", testHidden},
		{"the catalogue's link", testCatalogue},
		{"a phone", testPhone},
	} {
		t.Run(tt.name, func(t *testing.T) { tt.run(t, browser) })
	}
}

func testVerdict(t *testing.T, c *chromium) {
	w := newWorker(t)
	p := c.open(t, w.URL, 1200)
	fresh := w.status
	until := time.Now().Add(40 * time.Minute)
	for _, tt := range []struct {
		name         string
		publications map[string]int
		change       func(*connector.Status)
		level        string
		headline     string
		says         []string // somewhere in the verdict
		actions      []string
		progress     bool
	}{
		{name: "all on sale", publications: map[string]int{"live": 3, "withdrawn": 2}, level: "good", headline: "All 3 products are on sale.", says: []string{"2 products have left"}},
		{name: "some variants refused", publications: map[string]int{"live": 3, "partial": 1}, level: "good", headline: "All 4 products are on sale.", says: []string{"1 product lacks variants"}},
		{name: "one", publications: map[string]int{"live": 1}, level: "good", headline: "The one product is on sale."},
		{name: "all withdrawn", publications: map[string]int{"withdrawn": 2}, level: "good", headline: "Nothing is on sale.", actions: []string{"Try again now"}},
		{name: "an empty list", level: "good", headline: "The import list is empty.", says: []string{"Put products on your import list"}, actions: []string{"Try again now"}},
		{
			name: "not read yet", change: func(s *connector.Status) { s.Sweeps.Incremental.At = time.Time{} },
			level: "busy", headline: "Reading the import list for the first time …",
		},
		{
			name: "importing", publications: map[string]int{"live": 1200, "pending": 300, "rejected": 1}, level: "busy",
			headline: "Products are on their way; nothing needs you.", says: []string{"1,200 of 1,501 products are up to date", "1 needs its supplier"}, progress: true,
		},
		{
			name: "rejected", publications: map[string]int{"live": 5, "rejected": 2}, level: "busy",
			headline: "Nothing needs you; 2 products need their suppliers.", says: []string{"5 of 7 up to date · 2 rejected"},
			actions: []string{"Show what is rejected", "Retry all that failed"},
		},
		{
			name: "blocked and held", publications: map[string]int{"live": 5, "blocked": 1, "held": 2, "rejected": 1, "pending": 4}, level: "attention",
			headline: "3 products need you.", says: []string{"1 is blocked", "2 are held", "5 of 13 up to date · 1 blocked · 1 rejected · 2 held · 4 pending"},
			actions: []string{"Show what is blocked", "Show what is held", "Approve all …", "Retry all that failed"}, progress: true,
		},
		{
			name: "webhook refused", publications: map[string]int{"live": 5}, level: "attention", headline: "The webhook is not registered.",
			change: func(s *connector.Status) {
				s.Webhook = connector.Registration{URL: "https://shop.example.com/webhooks", Error: "callbackUrl is invalid"}
			},
			says: []string{"callbackUrl is invalid", "5 of 5 up to date"},
		},
		{
			name: "shop paused until a time", publications: map[string]int{"live": 5, "blocked": 1}, level: "bad", headline: "The shop (woocommerce) cannot be used.",
			change: func(s *connector.Status) {
				s.Shop = connector.Side{Name: "woocommerce", Paused: true, Reason: "the key may only read", Until: &until}
			},
			says: []string{"the key may only read", "Tried again in 39 min"}, actions: []string{"Try again now"},
		},
		{
			name: "shop refused until somebody asks", publications: map[string]int{"live": 5}, level: "bad", headline: "The shop cannot be used.",
			change: func(s *connector.Status) { s.Shop = connector.Side{Paused: true, Reason: "401"} },
			says:   []string{"when its check passes, or when you ask"}, actions: []string{"Try again now"},
		},
		{
			name: "marketplace paused", publications: map[string]int{"live": 5}, level: "bad", headline: "The marketplace cannot be used.",
			change: func(s *connector.Status) { s.Marketplace = connector.Side{Paused: true, Reason: "the token is refused"} },
			says:   []string{"the token is refused", "5 of 5 up to date"}, actions: []string{"Try again now"},
		},
		{
			name: "store full", publications: map[string]int{"live": 5}, level: "bad", headline: "The store cannot be written.",
			change: func(s *connector.Status) {
				s.Store.Error = "no space left on device"
				s.Shop.Paused = true
			},
			says: []string{"no space left on device"},
		},
		{
			name: "sweep failed", publications: map[string]int{"live": 5}, level: "bad", headline: "The import list cannot be read.",
			change: func(s *connector.Status) { s.Sweeps.Incremental.Error = "internal error" },
			says:   []string{"internal error"}, actions: []string{"Try again now"},
		},
		{
			name: "an old failure that a later sweep has overtaken", publications: map[string]int{"live": 5}, level: "good", headline: "All 5 products are on sale.",
			change: func(s *connector.Status) {
				s.Sweeps.Full.At, s.Sweeps.Full.Error = time.Now().Add(-time.Hour), "internal error"
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p.t = t
			w.set(func() {
				w.status = fresh
				w.status.Publications = tt.publications
				if tt.change != nil {
					tt.change(&w.status)
				}
			})
			p.eval(look)
			p.until(`document.getElementById("headline").innerText === ` + quoted(tt.headline))
			for _, text := range tt.says {
				p.until(`document.getElementById("verdict").innerText.includes(` + quoted(text) + `)`)
			}
			if level := p.eval(`document.getElementById("verdict").dataset.level`); level != tt.level {
				t.Errorf("level %v, want %s", level, tt.level)
			}
			actions := strings.Split(p.text("#actions"), "\n")
			if want := strings.Join(tt.actions, "\n"); strings.Join(slices.DeleteFunc(actions, func(s string) bool { return s == "" }), "\n") != want {
				t.Errorf("actions %q, want %q", actions, tt.actions)
			}
			if shown := p.eval(`document.getElementById("progress").checkVisibility()`); shown != tt.progress {
				t.Errorf("progress shown %v, want %t", shown, tt.progress)
			}
		})
	}
	p.t = t
}

func testFirstLook(t *testing.T, c *chromium) {
	w := newWorker(t)
	w.status.Sweeps.Next = new(time.Time)
	*w.status.Sweeps.Next = time.Now().Add(290 * time.Second)
	p := c.open(t, w.URL, 1200)
	p.until(`document.getElementById("headline").innerText === "The import list is empty."`)
	p.until(`document.getElementById("verdict").innerText.includes("The list is read again in 4 min.")`)
	p.until(`document.getElementById("empty").innerText.includes("Put products on it at the marketplace")`)
	p.until(`document.getElementById("facts").innerText.includes("none since the worker was started")`)
	p.press("Try again now")
	p.until(`document.getElementById("notice").innerText.startsWith("Asked for: the list is read")`)
	p.press("Whole list")
	p.until(`document.getElementById("notice").innerText.startsWith("Asked for: the whole list")`)
	if diff := cmp.Diff([]string{"sweep full=false", "sweep full=true"}, w.received()); diff != "" {
		t.Error(diff)
	}
	if foreign := p.eval(`performance.getEntriesByType("resource").filter((r) => !r.name.startsWith(location.origin + "/")).map((r) => r.name).join()`); foreign != "" {
		t.Errorf("the page asked for %v", foreign)
	}
}

// hostile is what a supplier with bad intent could send.
const hostile = `<img src=x onerror="window.owned=1"><script>window.owned=1</script>`

func testHostile(t *testing.T, c *chromium) {
	ids := []string{`a/b?c#d&e=f%2F"'<script>`, `../../../livez`, `gid://shop/1==`, "two\nlines\u202e", `💥 space`}
	w := newWorker(t)
	for _, id := range ids {
		w.listed = append(w.listed, connector.Listed{ID: id, State: "blocked", Title: hostile, ShopID: hostile, URL: "javascript:window.owned=1", Reported: hostile, Error: hostile})
		w.explained[id] = connector.Explanation{
			ID: id, State: "blocked", Title: hostile,
			Source:   connector.Source{Listing: hostile, Product: hostile, UpdatedAt: hostile, Removal: hostile},
			Shop:     connector.Placed{ID: hostile, URL: "javascript:window.owned=1"},
			Variants: []connector.Explained{{ID: hostile, Title: hostile, SKU: hostile, Price: hostile, Cost: hostile, MSRP: hostile, Refused: hostile, Steps: []string{hostile}}},
			Problem:  &connector.Problem{Kind: hostile, Message: hostile, Attempts: 1},
			Held:     []connector.HeldNow{{Kind: hostile, Variant: hostile, Old: hostile, New: hostile, Reason: hostile}},
			Report:   connector.Reporting{Status: hostile, URL: "data:text/html," + hostile, Owed: hostile, Error: hostile},
			History:  []connector.Happened{{At: time.Now(), What: hostile}},
		}
	}
	w.count()
	w.status.Version = hostile
	w.status.Store.Path = hostile
	w.status.Shop = connector.Side{Name: hostile, Paused: true, Reason: hostile}
	w.status.Webhook = connector.Registration{URL: hostile, Error: hostile}
	w.status.LastError = &connector.LastError{Message: hostile, At: time.Now()}
	w.status.Sweeps.Full.At, w.status.Sweeps.Full.Error = time.Now(), hostile

	p := c.open(t, w.URL, 1200)
	p.until(`document.querySelectorAll("#rows tr").length === ` + fmt.Sprint(len(ids)))
	for i, id := range ids {
		row := fmt.Sprintf(`document.querySelectorAll("#rows tr")[%d]`, i)
		p.until(row + `.querySelector("th a").textContent === ` + quoted(hostile))
		p.eval(row + `.querySelector("th a").click()`)
		p.until(`document.getElementById("panel").open && document.querySelector("#panel-body .id").textContent === ` + quoted(id))
		p.until(`document.getElementById("panel-title").textContent === ` + quoted(hostile))
		p.press("Retry now")
		p.until(`document.getElementById("panel-notice").innerText === "It is tried again now."`)
		p.key("Escape")
		p.until(`!document.getElementById("panel").open && !location.hash.includes("id=")`)
	}
	want := make([]string, len(ids))
	for i, id := range ids {
		want[i] = "retry " + id + " "
	}
	if diff := cmp.Diff(want, w.received()); diff != "" {
		t.Error(diff)
	}
	if owned := p.eval(`window.owned`); owned != nil {
		t.Error("a text was run")
	}
	if made := p.eval(`document.querySelectorAll("img, script:not([type=module]), iframe, object, [onerror]").length`); made != 0.0 {
		t.Errorf("a text became %v elements", made)
	}
	if hrefs := p.eval(`[...document.querySelectorAll("a")].map((a) => a.protocol).filter((s) => !/^https?:$/.test(s)).join()`); hrefs != "" {
		t.Errorf("links with %v", hrefs)
	}
}

// held is a publication whose price has doubled while its stock flowed.
func held(w *worker, id, title string) {
	w.listed = append(w.listed, connector.Listed{ID: id, State: "held", Title: title, Reported: "success", URL: "https://shop.example.com/p/" + id, Error: "the price would move by 100 %"})
	w.explained[id] = connector.Explanation{
		ID: id, State: "held", Title: title,
		Source:   connector.Source{Listing: "l1", Product: "p1", UpdatedAt: "2026-03-01T10:00:00Z", ReadAt: time.Now().Add(-time.Minute)},
		Shop:     connector.Placed{ID: "77", URL: "https://shop.example.com/p/" + id, OnSale: true, Kept: shopadapter.FieldTitle | shopadapter.FieldImages},
		Variants: []connector.Explained{{ID: "v1", Title: "Red, L", SKU: "LAMP-R", Price: "19.95", Cost: "10.00", MSRP: "39.90", Quantity: 4, Steps: []string{"msrp 39.9 = 39.90"}}},
		Held:     []connector.HeldNow{{Kind: "price", Variant: "v1", Old: "19.95", New: "39.90", Reason: "the price would move by 100 %", Since: time.Now().Add(-90 * time.Minute)}},
		Report:   connector.Reporting{Status: "success", At: time.Now()},
		History:  []connector.Happened{{At: time.Now().Add(-time.Hour), What: "created"}, {At: time.Now(), What: "price held"}},
	}
	w.count()
}

func testApprove(t *testing.T, c *chromium) {
	w := newWorker(t)
	held(w, "pub/1", "Reading lamp")
	p := c.open(t, w.URL, 1200)
	p.until(`document.querySelector("#rows a")`)
	p.eval(`document.querySelector("#rows th a").click()`)
	p.until(`document.querySelector("#panel .hold")`)
	if text := p.text("#panel .hold"); !strings.Contains(text, "Price of Red, L: 19.95 → 39.90") || !strings.Contains(text, "Held 1 h ago.") {
		t.Errorf("the hold reads %q", text)
	}
	if link := p.eval(`document.querySelector("#panel dd a").href`); link != "https://shop.example.com/p/pub/1" {
		t.Errorf("link to %v", link)
	}
	p.eval(`document.querySelector("#panel summary").click()`)
	p.until(`document.querySelector("#panel .steps").checkVisibility() && document.querySelector("#panel .steps").innerText.includes("39.90")`)
	if first := p.text("#panel .history li"); !strings.Contains(first, "price held") {
		t.Errorf("history begins with %q, not with the newest", first)
	}
	p.press("Approve")
	p.until(`document.getElementById("panel-notice").innerText === "Approved. The change is made now."`)
	if diff := cmp.Diff([]string{"approve pub/1 "}, w.received()); diff != "" {
		t.Error(diff)
	}
	w.set(func() {
		e := w.explained["pub/1"]
		e.State, e.Held = "live", nil
		w.explained["pub/1"] = e
	})
	p.eval(look)
	p.until(`!document.querySelector("#panel .hold") && document.querySelector("#panel .badge").innerText === "live"`)
	if open := p.eval(`document.querySelector("#panel details").open`); open != true {
		t.Error("what was opened has closed")
	}
}

func testApproveAll(t *testing.T, c *chromium) {
	w := newWorker(t)
	for i := range 12 {
		held(w, fmt.Sprint("pub-", i), fmt.Sprint("Lamp ", i))
	}
	p := c.open(t, w.URL, 1200)
	p.press("Approve all …")
	p.until(`document.getElementById("confirm").open`)
	if text := p.text("#confirm"); !strings.Contains(text, "Lamp 7: the price would move by 100 %") || strings.Contains(text, "Lamp 8") || !strings.Contains(text, "and 4 more") {
		t.Errorf("the question reads %q", text)
	}
	p.key("Escape")
	p.until(`!document.getElementById("confirm").open`)
	if posts := w.received(); len(posts) > 0 {
		t.Errorf("refused, and yet sent: %v", posts)
	}
	p.press("Approve all …")
	p.press("Approve all")
	p.until(`document.getElementById("notice").innerText === "2 products’ changes are approved."`)
	if diff := cmp.Diff([]string{"approve-all"}, w.received()); diff != "" {
		t.Error(diff)
	}
}

func testCommandFails(t *testing.T, c *chromium) {
	w := newWorker(t)
	held(w, "pub-1", "Reading lamp")
	p := c.open(t, w.URL+"/#id=pub-1", 1200)
	p.until(`document.querySelector("#panel .hold")`)
	w.set(func() {
		w.answer = func(rw http.ResponseWriter) { http.Error(rw, "write store: no space left", http.StatusServiceUnavailable) }
	})
	p.press("Approve")
	p.until(`document.getElementById("panel-notice").innerText === "That did not work: write store: no space left."`)
	w.set(func() { w.answer = nil })
	p.press("Approve") // it is not stuck
	p.until(`document.getElementById("panel-notice").innerText.startsWith("Approved.")`)
}

func testGiveBack(t *testing.T, c *chromium) {
	w := newWorker(t)
	held(w, "pub-1", "Reading lamp")
	p := c.open(t, w.URL+"/#id=pub-1", 1200)
	p.press("Retry and give the edits back …")
	p.until(`document.getElementById("confirm").innerText.includes("title, images")`)
	p.press("Cancel")
	p.until(`!document.getElementById("confirm").open && document.getElementById("panel").open`)
	p.press("Retry and give the edits back …")
	p.press("Overwrite the edits")
	p.until(`document.getElementById("panel-notice").innerText === "The supplier’s version is written now."`)
	if diff := cmp.Diff([]string{"retry pub-1 reset=true"}, w.received()); diff != "" {
		t.Error(diff)
	}
}

func testList(t *testing.T, c *chromium) {
	w := newWorker(t)
	for i := range 2130 {
		l := connector.Listed{ID: fmt.Sprintf("pub-%04d", i), State: "live", Title: fmt.Sprintf("Lamp %d", i)}
		if i%100 == 7 {
			l.State, l.Error = "rejected", "The title is too long"
		}
		w.listed = append(w.listed, l)
	}
	w.count()
	p := c.open(t, w.URL, 1200)
	first := func(id string, rows int) {
		t.Helper()
		p.until(fmt.Sprintf(`document.querySelectorAll("#rows tr").length === %d && document.querySelector("#rows .id").textContent === %q`, rows, id))
	}
	first("pub-0000", 50)
	p.until(`document.getElementById("place").innerText === "1–50"`)
	p.press("Next")
	first("pub-0050", 50)
	p.press("Next")
	first("pub-0100", 50)
	p.press("Previous")
	first("pub-0050", 50)
	p.until(`document.getElementById("place").innerText === "51–100"`)

	p.eval(`document.querySelector('.tile[data-state="rejected"]').click()`)
	first("pub-0007", 22)
	p.until(`document.getElementById("meaning").innerText.startsWith("The shop refuses the product")`)
	if pressed := p.eval(`document.querySelectorAll('.tile[aria-pressed="true"]').length`); pressed != 1.0 {
		t.Errorf("%v filters are pressed", pressed)
	}

	find := func(text string) {
		p.eval(`{ const find = document.getElementById("find"); find.value = ` + quoted(text) + `; find.dispatchEvent(new Event("input")); }`)
	}
	find("lamp 2107")
	first("pub-2107", 1)
	p.eval(`document.querySelector('.tile[data-state=""]').click()`) // another filter ends the search
	first("pub-0000", 50)
	find("LAMP 2129")
	first("pub-2129", 1)
	find("lamp")
	first("pub-0000", 200)
	p.until(`document.getElementById("place").innerText === "200 matches, and there may be more"`)
	find("nothing is called this")
	p.until(`document.getElementById("empty").innerText.includes("Nothing matches “nothing is called this”.")`)
	find("")
	first("pub-0000", 50)

	p.eval(`document.querySelector('.tile[data-state="held"]').click()`)
	p.until(`document.getElementById("empty").innerText.includes("Nothing is held.")`)
}

func testGone(t *testing.T, c *chromium) {
	w := newWorker(t)
	w.listed = []connector.Listed{{ID: "1", State: "live", Title: "Reading lamp"}}
	w.count()
	p := c.open(t, w.URL, 1200)
	p.until(`document.getElementById("headline").innerText === "The one product is on sale."`)
	w.set(func() { w.answer = func(http.ResponseWriter) { panic(http.ErrAbortHandler) } })
	p.eval(look)
	p.until(`document.getElementById("headline").innerText === "The worker does not answer."`)
	p.until(`/Last seen (just now|\d+ s ago)\. What is shown below is from then\./.test(document.getElementById("lines").innerText)`)
	p.until(`document.title === "! pubsync" && document.querySelector("#rows").innerText.includes("Reading lamp")`)
	w.set(func() { w.answer = nil })
	p.press("Ask now")
	p.until(`document.getElementById("headline").innerText === "The one product is on sale." && document.title === "pubsync"`)
}

func testLoggedOut(t *testing.T, c *chromium) {
	w := newWorker(t)
	w.answer = func(rw http.ResponseWriter) { http.Error(rw, "token needed", http.StatusUnauthorized) }
	p := c.open(t, w.URL, 1200)
	p.until(`document.getElementById("headline").innerText === "Your login has ended."`)
	if path := p.eval(`document.querySelector("#actions a").pathname`); path != "/" {
		t.Errorf("the login is at %v", path)
	}
	w.set(func() { w.answer = nil }) // logged in from another tab
	p.eval(look)
	p.until(`document.getElementById("headline").innerText === "The import list is empty."`)
}

func testError(t *testing.T, c *chromium) {
	w := newWorker(t)
	p := c.open(t, w.URL, 1200)
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
			p.t = t
			w.set(func() { w.answer = tt.answer })
			p.eval(look)
			p.until(`document.getElementById("headline").innerText === ` + quoted(tt.headline))
			p.until(`document.getElementById("reason").innerText === ` + quoted(tt.reason))
		})
	}
	p.t = t
}

func testFocus(t *testing.T, c *chromium) {
	w := newWorker(t)
	for i := range 5 {
		held(w, fmt.Sprint("pub-", i), fmt.Sprint("Lamp ", i))
	}
	p := c.open(t, w.URL, 1200)
	p.until(`document.querySelectorAll("#rows tr").length === 5`)
	p.eval(`document.querySelectorAll("#rows th a")[2].focus()`)
	w.set(func() {
		w.listed[2].Title = "Lamp of the supplier"
		w.listed = w.listed[1:]
		w.count()
	})
	p.eval(look)
	p.until(`document.querySelectorAll("#rows tr").length === 4`)
	if text := p.eval(`document.activeElement.textContent`); text != "Lamp of the supplier" {
		t.Errorf("the focus is on %q", text)
	}
	p.eval(`document.activeElement.click()`)
	p.until(`document.querySelector("#panel .hold")`)
	p.eval(`document.querySelector("#panel [data-key=approve]").focus()`)
	w.set(func() {
		e := w.explained["pub-2"]
		e.History = append(e.History, connector.Happened{At: time.Now(), What: "looked at"})
		w.explained["pub-2"] = e
	})
	p.eval(look)
	p.until(`document.querySelector("#panel .history").innerText.includes("looked at")`)
	if text := p.eval(`document.activeElement.textContent`); text != "Approve" {
		t.Errorf("in the panel the focus is on %q", text)
	}
	p.key("Escape")
	p.until(`!document.getElementById("panel").open && document.activeElement.textContent === "Lamp of the supplier"`)
}

func testAddress(t *testing.T, c *chromium) {
	w := newWorker(t)
	held(w, "pub/1 &state=live", "Reading lamp")
	w.listed = append(w.listed, connector.Listed{ID: "2", State: "live", Title: "Another"})
	w.count()
	p := c.open(t, w.URL+"/#state=held&id=pub%2F1+%26state%3Dlive", 1200)
	p.until(`document.querySelector("#panel .hold") && document.querySelectorAll("#rows tr").length === 1`)
	p.press("✕")
	p.until(`!document.getElementById("panel").open && location.hash === "#state=held"`)
	p.eval(`history.back()`)
	p.until(`document.getElementById("panel").open`)
	p.eval(`location.hash = "#id=unknown"`)
	p.until(`document.getElementById("panel-body").innerText.includes("Nothing is known of this publication.")`)
	p.until(`document.getElementById("headline").innerText === "1 product needs you."`) // that the id is unknown is no fault of the worker
	p.eval(`location.hash = "#id=.."`)
	p.until(`document.getElementById("panel-body").innerText.includes("use pubsync explain")`)
	p.eval(`location.hash = "#state=nonsense"`)
	p.until(`!document.getElementById("panel").open && document.querySelectorAll("#rows tr").length === 2`)
	p.eval(`document.getElementById("skip").click()`)
	if at := p.eval(`location.hash + " " + document.activeElement.id`); at != "#state=nonsense list" {
		t.Errorf("the skip link led to %v", at)
	}
}

func testHidden(t *testing.T, c *chromium) {
	w := newWorker(t)
	p := c.open(t, w.URL, 1200)
	p.until(`document.getElementById("headline").innerText === "The import list is empty."`)
	before := w.asked("GET /api/v1/status")
	p.pass(20 * time.Second)
	if n := w.asked("GET /api/v1/status") - before; n < 3 || n > 8 {
		t.Errorf("asked %d times in 20 seconds of looking", n)
	}
	p.eval(`Object.defineProperty(document, "hidden", { get: () => globalThis.away ?? true, configurable: true }); ` + look)
	before = w.asked("GET /api/v1/status")
	p.pass(time.Minute)
	if n := w.asked("GET /api/v1/status") - before; n > 1 {
		t.Errorf("asked %d times while hidden", n)
	}
	p.eval(`globalThis.away = false; ` + look)
	before = w.asked("GET /api/v1/status")
	p.pass(20 * time.Second)
	if n := w.asked("GET /api/v1/status") - before; n < 3 {
		t.Errorf("asked %d times after it came back", n)
	}
}

func testCatalogue(t *testing.T, c *chromium) {
	w := newWorker(t)
	p := c.open(t, w.URL, 1200)
	p.until(`document.getElementById("headline").innerText === "The import list is empty." && performance.getEntriesByName(location.origin + "/catalog/").length`)
	if shown := p.eval(`document.getElementById("catalogue").checkVisibility()`); shown != false {
		t.Error("a link to pages that are not there")
	}
	w.set(func() { w.catalogue = true })
	p.do("Page.reload", values{})
	p.until(`document.getElementById("catalogue").checkVisibility()`)
}

func testPhone(t *testing.T, c *chromium) {
	w := newWorker(t)
	held(w, strings.Repeat("gid-without-a-place-to-break", 6), strings.Repeat("Donaudampfschifffahrtsgesellschaft", 4))
	w.status.Webhook = connector.Registration{URL: "https://shop.example.com/" + strings.Repeat("a", 200), Error: strings.Repeat("b", 300)}
	w.status.LastError = &connector.LastError{Message: strings.Repeat("c", 300), At: time.Now()}
	w.status.Store.Path = "/" + strings.Repeat("d", 200)
	p := c.open(t, w.URL, 320)
	p.until(`document.querySelector("#rows a")`)
	wide := `document.documentElement.scrollWidth > innerWidth || document.getElementById("panel").scrollWidth > innerWidth`
	if p.eval(wide) != false {
		t.Errorf("the page is %v wide", p.eval(`document.documentElement.scrollWidth`))
	}
	p.eval(`document.querySelector("#rows th a").click()`)
	p.until(`document.querySelector("#panel .hold")`)
	if p.eval(wide) != false {
		t.Errorf("the panel is %v wide", p.eval(`document.getElementById("panel").scrollWidth`))
	}
}
