package connector_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A single run of a short list lists what its own reports moved, so that the next run finds
// nothing.
func TestTheRunAfterAShortImportIsIdle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		const size = 50
		b.Market.AddSound(size)
		if s := b.Once(false); s.Exit != desk.ExitOK || s.Created != size || s.Reported != size || s.Swept != size {
			t.Fatalf("got %+v, want %d created and reported", s, size)
		}
		time.Sleep(time.Minute)
		if s := b.Once(false); s.Exit != desk.ExitOK || s.Swept != 0 || s.Requests > 4 || s.Cost > 30 {
			t.Errorf("got %+v, want an idle run", s)
		}
	})
}

// What leaves the list between the reading of its content and its report is withdrawn, and stands
// as no refused report.
func TestGoneBeforeAReport(t *testing.T) {
	t.Parallel()
	for name, gone := range map[string]sandbox.GoneForm{"null": sandbox.GoneNull, "an error": sandbox.GoneError, "no " +
		"data": sandbox.GoneWhole} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := harness.New(t, sandbox.Options{Gone: gone})
				ids := b.Market.AddSound(30)
				b.Shop.OnPublish = func(id shopadapter.PublicationID) {
					if string(id) == ids[7] {
						b.Market.Remove(ids[7])
					}
				}
				if s := b.Once(false); s.Exit != desk.ExitOK || s.Refused != 0 || s.Reported != 29 {
					t.Errorf("got %+v, want Exit %v, Refused 0 and Reported 29", s, desk.ExitOK)
				}
				if r := b.Record(ids[7]); r.State != store.StateWithdrawn {
					t.Errorf("%s: got %+v, want State %v", r.State, r.Removal, store.StateWithdrawn)
				}
			})
		})
	}
}
