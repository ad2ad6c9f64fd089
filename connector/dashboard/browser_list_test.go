package dashboard_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/chromium"
	"github.com/pubsync/pubsync/store"
)

// hostile is what a supplier with bad intent could send.
const hostile = `<img src=x onerror="window.owned=1"><script>window.owned=1</script>`

func testHostile(t *testing.T, c *chromium.Browser) {
	ids := []string{`a/b?c#d&e=f%2F"'<script>`, `../../../livez`, `gid://shop/1==`, "two\nlines\u202e", `💥 space`}
	w := newWorker(t)
	for _, id := range ids {
		w.listed = append(w.listed, desk.Listed{
			ID: id, State: "blocked", Title: hostile, ShopID: hostile, URL: "javascript:window.owned=1", Reported: hostile,
			Error: hostile,
		})
		w.explained[id] = desk.Explanation{
			Record: store.Record{
				ID: id, State: "blocked", Title: hostile, Listing: hostile, Product: hostile, UpdatedAt: hostile,
				Removal: store.Removal{Reason: hostile}, ShopID: hostile, URL: "javascript:window.owned=1",
				Problem:  store.Problem{Kind: hostile, Message: hostile},
				Reported: hostile, ReportedURL: "data:text/html," + hostile,
			},
			Variants: []desk.Explained{{
				Variant: store.Variant{ID: hostile, Title: hostile, SKU: hostile, Refused: hostile},
				Price:   hostile, Cost: hostile, MSRP: hostile, Steps: []string{hostile},
			}},
			Attempts: 1,
			Held: []desk.HeldChange{
				{Hold: store.Hold{Kind: hostile, Variant: hostile, Old: hostile, New: hostile, Reason: hostile}},
			},
			Owed:    &store.Report{Status: hostile, Refused: hostile},
			History: []store.Event{{At: store.At(time.Now()), What: hostile}},
		}
	}
	w.count()
	w.status.Version = hostile
	w.status.Store.Path = hostile
	w.status.Shop = desk.Side{Name: hostile, Paused: true, Reason: hostile}
	w.status.Webhook = desk.Registration{URL: hostile, Error: hostile}
	w.status.LastError = &desk.LastError{Message: hostile, At: time.Now()}
	w.status.Sweeps.Full.At, w.status.Sweeps.Full.Error = time.Now(), hostile

	p := c.Open(t, w.URL, 1200)
	p.Until(`document.querySelectorAll("#rows tr").length === ` + fmt.Sprint(len(ids)))
	for i, id := range ids {
		row := fmt.Sprintf(`document.querySelectorAll("#rows tr")[%d]`, i)
		p.Until(row + `.querySelector("th a").textContent === ` + chromium.Quoted(hostile))
		p.Eval(row + `.querySelector("th a").click()`)
		p.Until(`document.getElementById("panel").open && document.querySelector("#panel-body .id").textContent === ` +
			chromium.Quoted(id))
		p.Until(`document.getElementById("panel-title").textContent === ` + chromium.Quoted(hostile))
		p.Press("Retry now")
		p.Until(`document.getElementById("notice").innerText === "1 product is tried again now."`)
		p.Key("Escape")
		p.Until(`!document.getElementById("panel") && !location.search.includes("id=")`)
	}
	want := make([]any, len(ids))
	for i, id := range ids {
		want[i] = desk.Request{Retry: true, IDs: []string{id}}
	}
	if diff := cmp.Diff(want, w.received()); diff != "" {
		t.Error(diff)
	}
	if owned := p.Eval(`window.owned`); owned != nil {
		t.Error("a text was run")
	}
	made := p.Eval(`document.querySelectorAll("img, script:not([type=module]), iframe, object, [onerror]").length`)
	if made != 0.0 {
		t.Errorf("a text became %v elements", made)
	}
	hrefs := p.Eval(`[...document.querySelectorAll("a")].map((a) => a.protocol)
		.filter((s) => !/^https?:$/.test(s)).join()`)
	if hrefs != "" {
		t.Errorf("links with %v", hrefs)
	}
}

func testList(t *testing.T, c *chromium.Browser) {
	w := newWorker(t)
	for i := range 2130 {
		l := desk.Listed{ID: fmt.Sprintf("pub-%04d", i), State: "live", Title: fmt.Sprintf("Lamp %d", i)}
		if i%100 == 7 {
			l.State, l.Error = "rejected", "The title is too long"
		}
		w.listed = append(w.listed, l)
	}
	w.count()
	p := c.Open(t, w.URL, 1200)
	first := func(id string, rows int) {
		t.Helper()
		p.Until(fmt.Sprintf(`document.querySelectorAll("#rows tr").length === %d &&
			document.querySelector("#rows .id").textContent === %q`, rows, id))
	}
	first("pub-0000", 50)
	p.Press("Next")
	first("pub-0050", 50)
	p.Press("Next")
	first("pub-0100", 50)
	p.Eval(`history.back()`)
	first("pub-0050", 50)
	p.Eval(`document.querySelector('.tile[data-state="rejected"]').click()`)
	first("pub-0007", 22)
	find := func(text string) {
		p.Eval(`{ const find = document.getElementById("find"); find.value = ` + chromium.Quoted(text) +
			`; find.dispatchEvent(new Event("input", { bubbles: true })); }`)
	}
	find("lamp 2107")
	first("pub-2107", 1)
	p.Eval(`document.querySelector('.tile[data-state=""]').click()`) // another filter ends the search
	first("pub-0000", 50)
	p.Until(`document.getElementById("find").value === "" &&
		document.querySelectorAll(".tile[aria-current]").length === 1`)
	find("LAMP 2129")
	first("pub-2129", 1)
	find("")
	first("pub-0000", 50)
}

// A picture is shown where its address is one of the web, by TLS; another, or one that fails, leaves its place empty.
func testThumbnail(t *testing.T, c *chromium.Browser) {
	w := newWorker(t)
	for i, address := range []string{
		"https://127.0.0.1:1/none.png", "http://127.0.0.1:1/none.png", "javascript:alert(1)", "",
	} {
		w.listed = append(w.listed, desk.Listed{ID: fmt.Sprint(i), State: "live", Title: "Lamp", Thumbnail: address})
	}
	w.count()
	p := c.Open(t, w.URL, 1200)
	p.Until(`document.querySelectorAll("#rows span.thumb, #rows img[data-gone]").length === 4`)
	tried := p.Eval(`[...document.querySelectorAll("#rows img")].map((n) => n.src + " " + n.referrerPolicy).join()`)
	if tried != "https://127.0.0.1:1/none.png no-referrer" {
		t.Errorf("tried %v", tried)
	}
}

func testFocus(t *testing.T, c *chromium.Browser) {
	w := newWorker(t)
	for i := range 5 {
		held(w, fmt.Sprint("pub-", i), fmt.Sprint("Lamp ", i))
	}
	p := c.Open(t, w.URL, 1200)
	p.Until(`document.querySelectorAll("#rows tr").length === 5`)
	p.Eval(`document.querySelectorAll("#rows th a:first-child")[2].focus()`)
	w.set(func() {
		w.listed[2].Title = "Lamp of the supplier"
		w.listed = w.listed[1:]
		w.count()
	})
	p.Eval(look)
	p.Until(`document.querySelectorAll("#rows tr").length === 4`)
	if text := p.Eval(`document.activeElement.textContent`); text != "Lamp of the supplier" {
		t.Errorf("the focus is on %q", text)
	}
	p.Eval(`document.activeElement.click()`)
	p.Until(`document.querySelector("#panel .hold")`)
	p.Eval(`document.querySelector("#panel details").open = true`)
	p.Eval(`document.querySelector("#panel button[value=approve]").focus()`)
	w.set(func() {
		e := w.explained["pub-2"]
		e.History = append(e.History, store.Event{At: store.At(time.Now()), What: "looked at"})
		w.explained["pub-2"] = e
	})
	p.Eval(look)
	p.Until(`document.querySelector("#panel .history").innerText.includes("looked at")`)
	if text := p.Eval(`document.activeElement.textContent`); text != "Approve" {
		t.Errorf("in the panel the focus is on %q", text)
	}
	if open := p.Eval(`document.querySelector("#panel details").open`); open != true {
		t.Error("what was opened has closed")
	}
	p.Key("Escape")
	p.Until(`!document.getElementById("panel") && document.activeElement.textContent === "Lamp of the supplier"`)
}

func testAddress(t *testing.T, c *chromium.Browser) {
	w := newWorker(t)
	held(w, "pub/1 &state=live", "Reading lamp")
	w.listed = append(w.listed, desk.Listed{ID: "2", State: "live", Title: "Another"})
	w.count()
	p := c.Open(t, w.URL+"/?state=held&id=pub%2F1+%26state%3Dlive", 1200)
	p.Until(`document.querySelector("#panel .hold") && document.querySelectorAll("#rows tr").length === 1`)
	p.Press("✕")
	p.Until(`!document.getElementById("panel") && location.search === "?state=held"`)
	p.Eval(`history.back()`)
	p.Until(`document.getElementById("panel")?.matches(":modal")`)
	p.Go(w.URL + "/?after=%21")
	p.Until(`!document.getElementById("panel") && document.querySelectorAll("#rows tr").length === 2`)
	p.Eval(`document.getElementById("skip").click()`)
	if at := p.Eval(`location.hash + document.activeElement.id`); at != "list" {
		t.Errorf("the skip link led to %v", at)
	}
}

func testPhone(t *testing.T, c *chromium.Browser) {
	w := newWorker(t)
	held(w, strings.Repeat("gid-without-a-place-to-break", 6), strings.Repeat("Donaudampfschifffahrtsgesellschaft", 4))
	w.status.Webhook = desk.Registration{
		URL: "https://shop.example.com/" + strings.Repeat("a", 200), Error: strings.Repeat("b", 300),
	}
	w.status.LastError = &desk.LastError{Message: strings.Repeat("c", 300), At: time.Now()}
	w.status.Store.Path = "/" + strings.Repeat("d", 200)
	p := c.Open(t, w.URL, 320)
	p.Until(`document.querySelector("#rows a")`)
	wide := `document.documentElement.scrollWidth > innerWidth ||
		document.getElementById("panel")?.scrollWidth > innerWidth`
	if p.Eval(wide) != false {
		t.Errorf("the page is %v wide", p.Eval(`document.documentElement.scrollWidth`))
	}
	p.Eval(`document.querySelector("#rows th a").click()`)
	p.Until(`document.querySelector("#panel .hold")`)
	if p.Eval(wide) != false {
		t.Errorf("the panel is %v wide", p.Eval(`document.getElementById("panel").scrollWidth`))
	}
}
