package connector

import (
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

func TestImport(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{RestoreRate: 2000})
		b.box.AddSound(60)
		s := b.once(false)
		t.Logf("%+v", s)
		if s.Exit != ExitOK || s.Created != 60 || s.Reported != 60 || s.Swept != 60 {
			t.Fatalf("first run: %+v", s)
		}
		if got := b.shop.count("create"); got != 60 {
			t.Errorf("%d creates, want 60", got)
		}
		if got := len(b.box.Reports()); got != 60 {
			t.Errorf("%d reports, want 60", got)
		}
		n := len(b.shop.since(0))
		s = b.once(false)
		t.Logf("%+v", s)
		if s.Exit != ExitOK || s.Swept != 0 || s.Requests > 4 || s.Cost > 30 || s.Throttled != 0 {
			t.Errorf("second run is not idle: %+v", s)
		}
		if calls := b.shop.since(n); len(calls) != 0 || len(b.box.Reports()) != 60 {
			t.Errorf("second run wrote: %v, %d reports", calls, len(b.box.Reports()))
		}
	})
}
