package dashboard_test

import (
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/chromium"
	"github.com/pubsync/pubsync/connector/series"
	"github.com/pubsync/pubsync/store"
)

// aWeek is hours with gaps, as a worker leaves them that was stopped for a day.
func aWeek() desk.Series {
	week := desk.Series{Bounds: series.Bounds()}
	hour := time.Now().UTC().Truncate(time.Hour)
	for ago := series.Hours - 1; ago >= 0; ago-- {
		if ago > 60 && ago < 84 {
			continue
		}
		lags := make([]int, len(week.Bounds)+1)
		lags[ago%5] = 3
		week.Hours = append(week.Hours, series.Point{
			At: hour.Add(-time.Duration(ago) * time.Hour), Spent: float64(500 * (ago % 24)), Restored: 180_000, Due: ago % 30,
			Webhooks: ago % 12, Lags: lags,
			States: map[store.State]int{"live": 1500 - ago, "pending": ago, "held": 20, "rejected": 30},
		})
	}
	return week
}

// The last seven days are drawn as five pictures, each of which says in words what it shows.
func testWeek(t *testing.T, c *chromium.Browser) {
	w := newWorker(t)
	w.count()
	p := c.Open(t, w.URL, 1200)
	p.Until(`document.getElementById("headline").innerText === "The import list is empty."`)
	if shown := p.Eval(`document.getElementById("week").checkVisibility()`); shown != false {
		t.Error("pictures of nothing are shown")
	}
	w.set(func() { w.week = aWeek() })
	p.Reload()
	p.Until(`document.querySelectorAll("#charts .chart svg").length === 5`)
	for _, text := range []string{
		"Points: 834,000 used of 26,100,000 restored", "Backlog: at most 29 due", "States: 1,500 of 1,550 on sale now",
		"Webhooks: 792 accepted", "From change to shop: half of them within 5 s",
	} {
		p.Until(`[...document.querySelectorAll("#charts svg")].some((s) => s.getAttribute("aria-label") === ` +
			chromium.Quoted(text) + `)`)
	}
	// a day without a worker is a gap in each of them
	bars := p.Eval(`document.querySelectorAll("#charts .chart:nth-child(2) rect").length`)
	if bars != 139.0 {
		t.Errorf("%v bars of the backlog, want 139", bars)
	}
	midnights := p.Eval(`document.querySelectorAll("#charts .chart:first-child .midnight").length`)
	if midnights != 7.0 {
		t.Errorf("%v midnights, want 7", midnights)
	}
}

// While an import runs the page says how fast it goes, and how long it takes still.
func testPace(t *testing.T, c *chromium.Browser) {
	w := newWorker(t)
	w.status.Publications = map[store.State]int{"live": 1200, "pending": 300}
	w.status.Due, w.status.Pace = 300, &desk.Pace{PerMinute: 640.4, LeftSeconds: 28.2}
	p := c.Open(t, w.URL, 1200)
	p.Until(`document.getElementById("lines").innerText.includes("640 a minute, about 28 s left.")`)
}
