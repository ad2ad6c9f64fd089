package connector

import (
	"sync"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A single run of a short list makes its reports a batch at a time. What it lists before each batch takes the place of their looks, and what its own reports
// moved is listed with that, so that the next run finds nothing.
func TestReportsOfAShortListAreGathered(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		options sandbox.Options
		looks   bool
	}{
		"a list by time":          {sandbox.Options{}, false},
		"updatedAt tells seconds": {sandbox.Options{UpdatedAtPrecision: time.Second}, true},
		"no list by time":         {sandbox.Options{NoUpdatedAtSort: true}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T) {
				b := newBench(t, tt.options)
				time.Sleep(90 * time.Millisecond) // a time that tells parts of a second
				const size = 50
				b.box.AddSound(size)
				if s := b.once(false); s.Exit != desk.ExitOK || s.Created != size || s.Reported != size || s.Swept != size {
					t.Fatalf("%+v", s)
				}
				looks, reports := 0, 0
				for _, r := range b.box.Requests() {
					switch r.Operation {
					case "Look":
						looks += r.Roots
					case "Report":
						reports++
					}
				}
				if (looks == size) != tt.looks || looks > 10 && !tt.looks || reports > 8 { // fewer than four have looks of their own
					t.Errorf("%d looks, and %d requests with reports", looks, reports)
				}
				if tt.options.NoUpdatedAtSort {
					return
				}
				time.Sleep(time.Minute)
				if s := b.once(false); s.Exit != desk.ExitOK || s.Swept != 0 || s.Requests > 4 || s.Cost > 30 {
					t.Errorf("the next run is not idle: %+v", s)
				}
			})
		})
	}
}

// What leaves the list between the reading of its content and the batch of its report is withdrawn, and stands as no refused report.
func TestGoneBeforeAGatheredReport(t *testing.T) {
	t.Parallel()
	for name, gone := range map[string]sandbox.GoneForm{"null": sandbox.GoneNull, "an error": sandbox.GoneError, "no data": sandbox.GoneWhole} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				b := newBench(t, sandbox.Options{Gone: gone})
				ids := b.box.AddSound(30)
				b.shop.onPublish = func(id shopadapter.PublicationID) {
					if string(id) == ids[7] {
						b.box.Remove(ids[7])
					}
				}
				if s := b.once(false); s.Exit != desk.ExitOK || s.Refused != 0 || s.Reported != 29 {
					t.Errorf("%+v", s)
				}
				if r := b.record(ids[7]); r.State != store.StateWithdrawn {
					t.Errorf("%s: %+v", r.State, r.Removal)
				}
			})
		})
	}
}

// The reports of what the shop took do not wait for what hangs there.
func TestGatheredReportsWaitForNothingThatHangs(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{RestoreRate: 2000})
		ids := b.box.AddSound(10)
		var mu sync.Mutex
		last := time.Time{}
		b.box.OnReport(func(string) {
			mu.Lock()
			defer mu.Unlock()
			last = time.Now()
		})
		begun := time.Now()
		b.shop.onPublish = func(id shopadapter.PublicationID) {
			if string(id) != ids[0] {
				return
			}
			b.shop.mu.Unlock()
			time.Sleep(50 * time.Second)
			mu.Lock()
			if took := last.Sub(begun); took <= 0 || took > 15*time.Second {
				t.Errorf("the reports of the others were made after %s", took)
			}
			mu.Unlock()
			b.shop.mu.Lock()
		}
		if s := b.once(false); s.Exit != desk.ExitOK || s.Reported != 10 {
			t.Errorf("%+v", s)
		}
	})
}
