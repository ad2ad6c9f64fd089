package listener_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// An entry that is too long to be kept is refused or passed over with its reason. The other entries
// do not wait for it.
func TestEntriesThatAreTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said bytes.Buffer
		b := harness.New(t, sandbox.Options{})
		b.Tune = func(o *connector.Options) { o.Logger = slog.New(slog.NewTextHandler(&said, nil)) }
		good := b.Market.AddSound(3)
		long := strings.Repeat("x", publication.MaxIdent+1)
		product, listing := b.Market.AddSound(1)[0], b.Market.AddSound(1)[0]
		if err := b.Market.Update(product, func(l *sandbox.Listing) { l.ProductID = long }); err != nil {
			t.Fatal(err)
		}
		if err := b.Market.Update(listing, func(l *sandbox.Listing) { l.Variants[0].ID = long }); err != nil {
			t.Fatal(err)
		}
		unlisted := b.Market.Add(sandbox.Publication{ID: long})[0]
		for _, full := range []bool{false, true} {
			b.Once(full)
		}
		for _, id := range good {
			if got := b.State(id); got != store.StateLive {
				t.Errorf("%s is %s, want %s", id, got, store.StateLive)
			}
		}
		for _, id := range []string{product, listing} {
			r := b.Record(id)
			if r.State != store.StateRejected {
				t.Errorf("%s is %s, want %s", id, r.State, store.StateRejected)
			}
			if why := fmt.Sprint(publication.MaxIdent+1, " bytes"); !strings.Contains(r.Problem.Message, why) {
				t.Errorf("%s: got the problem %.2000q, want %q in it", id, r.Problem.Message, why)
			}
			if strings.Contains(fmt.Sprintf("%+v", r), long) {
				t.Errorf("%s: %.2000v, want the long id nowhere", id, r)
			}
		}
		if r := b.Record(unlisted); r.State != "" {
			t.Errorf("the one whose own id is too long: %.500v, want no record", r)
		}
		if n := strings.Count(said.String(), "passed over"); n == 0 {
			t.Error("0 lines tell of it, want some")
		}
		if strings.Contains(said.String(), long) {
			t.Error("the log has the long id, want it nowhere")
		}
	})
}
