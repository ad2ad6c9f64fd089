package publication

import (
	"testing"
	"time"

	"github.com/pubsync/pubsync/store"
)

// What is to leave is read once more at once, whatever its mark waited for: a webhook that came during the look, a
// change that a sweep announced, or a backoff.
func TestARemovalIsReadOnceMoreAtOnce(t *testing.T) {
	now := time.Now()
	for _, was := range []*store.Mark{
		nil,
		{Class: store.ClassHook, At: store.At(now), Seen: "2026-01-01T00:00:01Z", Gen: 7},
		{Class: store.ClassSweep, At: store.At(now.Add(time.Hour)), Tries: 4, Gen: 7},
	} {
		e := store.Entry{
			Known: true, Mark: was,
			Record: store.Record{Sale: store.OnSale, Removal: store.Removal{Reason: store.RemovalAbsent}},
		}
		if !(Brake{}).Removals(&e, Removals{Found: 1, OnSale: 50}, now) || !e.Record.Removal.Go {
			t.Fatalf("%+v: not judged: %+v", was, e.Record.Removal)
		}
		got := *e.Mark
		if was != nil && got.Gen <= was.Gen {
			t.Errorf("%+v: a look that is under way would take %+v for its own", was, got)
		}
		if got.Gen = 0; got != (store.Mark{Class: store.ClassSweep, At: store.At(now)}) {
			t.Errorf("%+v: got %+v", was, got)
		}
	}
}
