package dashboard_test

import (
	"fmt"
	"testing"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/chromium"
)

// aTrial is a trial that has something to say in each of its parts.
func aTrial() desk.Trial {
	return desk.Trial{
		Publications: 2000, Variants: 8000, Up: 5000, Down: 1200, Held: 31, Without: 2, Why: hostile,
		Costed: 7998, MarginNow: 38.2, MarginThen: 41,
		Most: []desk.Move{
			{
				ID: "1", Title: hostile, Variant: "Red / 40 × 28 cm, without a lid", Old: "10.00", New: "21.00", Percent: 110,
				Held: true,
			},
			{ID: "2", Title: "Chair", Old: "20.00", New: "15.50", Percent: -22.5},
		},
	}
}

// Rules are tried as they are changed, and the page prints what the env file would have to say.
func testPrices(t *testing.T, c *chromium.Browser) {
	w := newWorker(t)
	w.rules = map[string]string{"PUBSYNC_PRICE_MARKUP_PERCENT": "20", "PUBSYNC_PRICE_TIERS": "0-10:120%,10-:50%"}
	w.trial = aTrial()
	p := c.Open(t, w.URL, 1200)
	p.Until(`document.getElementById("headline").innerText === "The import list is empty."`)
	p.Eval(`document.getElementById("to-prices").click()`)
	p.Until(`document.getElementById("prices")?.checkVisibility() && !document.getElementById("table")`)
	set := func(selector, value string) {
		t.Helper()
		p.Eval(fmt.Sprintf(`{ const field = document.querySelector(%q); field.value = %q;
			field.dispatchEvent(new Event("input", { bubbles: true })); }`, selector, value))
	}
	set("[data-slider=PUBSYNC_PRICE_MARKUP_PERCENT]", "35")
	set("[data-rule=PUBSYNC_PRICE_TIERS]", "0-10:120%,10-:60%")
	set("[data-rule=PUBSYNC_PRICE_CATEGORIES]", "GARDEN=+10%; TOYS=5%")
	p.Until(`document.getElementById("lines-env").innerText === ` + chromium.Quoted(
		"PUBSYNC_PRICE_CATEGORIES='GARDEN=+10%; TOYS=5%'\nPUBSYNC_PRICE_MARKUP_PERCENT=35\n"+
			"PUBSYNC_PRICE_TIERS=0-10:120%,10-:60%"))
	w.set(func() {
		for name, want := range map[string]string{
			"PUBSYNC_PRICE_MARKUP_PERCENT": "35", "PUBSYNC_PRICE_TIERS": "0-10:120%,10-:60%",
			"PUBSYNC_PRICE_CATEGORIES": "GARDEN=+10%; TOYS=5%",
		} {
			if got := w.tried[name]; got != want {
				t.Errorf("tried with %s=%q, want %q", name, got, want)
			}
		}
	})
	set("[data-rule=PUBSYNC_PRICE_ENDING]", "95")
	p.Until(`document.getElementById("trial-notice").innerText ===
		"These rules cannot be used: PUBSYNC_PRICE_ENDING: is not an ending"`)
	p.Press("As they are")
	p.Until(`document.getElementById("lines-env").innerText === "# nothing is changed"`)
	p.Until(`document.querySelector("[data-rule=PUBSYNC_PRICE_ENDING]").value === "" &&
		document.querySelector("[data-slider=PUBSYNC_PRICE_MARKUP_PERCENT]").value === "20"`)
	p.Eval(`document.getElementById("to-list").click()`)
	p.Until(`document.getElementById("table")?.checkVisibility() && !document.getElementById("prices")`)
}
