package connector_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// refusing has a shop refuse every call, with less than its check says of it, until the function
// that it returns is called.
func refusing(b *harness.Bench, says string) (mend func()) {
	set := func(err error, refuse func(harness.Call) error) {
		b.Shop.Lock()
		defer b.Shop.Unlock()
		b.Shop.CheckErr, b.Shop.Refuse = err, refuse
	}
	set(shopadapter.Block("%s", says).Everywhere(), func(harness.Call) error {
		return shopadapter.Block("something refuses the request").Everywhere()
	})
	return func() { set(nil, nil) }
}

// A worker and a single run say what doctor says of a shop that refuses everything, of the shop and
// of each publication, and say no more of it once that is mended.
func TestATroubleIsToldAsDoctorTellsItAndIsGoneOnceMended(t *testing.T) {
	const says = "the key may read and not write: give it the permission Read/Write"
	for _, single := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			b := harness.New(t, sandbox.Options{RestoreRate: 2000})
			b.Tune = func(o *connector.Options) { o.Sweep = harness.Every(time.Minute) }
			id := b.Market.AddSound(1)[0]
			status := func() (desk.Status, error) { return harness.StatusOf(b.Store) }
			work := func() { b.Once(false) }
			var mend func()
			if single {
				mend = refusing(b, says)
			} else {
				c, stop := b.Start() // all is well at the start, so that a look meets it first
				defer stop()
				status = func() (desk.Status, error) { return harness.Status(c) }
				work = func() { time.Sleep(10 * time.Minute) }
				work()
				mend = refusing(b, says)
				if err := b.Market.SetStock(id, "", 77); err != nil {
					t.Fatal(err)
				}
			}
			work()
			s, err := status()
			if err != nil {
				t.Fatal(err)
			}
			if s.LastError == nil || s.LastError.Message != says {
				t.Errorf("single run %t: the last error is %+v, want %q", single, s.LastError, says)
			}
			if got := b.Record(id).Problem.Message; got != says {
				t.Errorf("single run %t: the publication's problem is %q, want %q", single, got, says)
			}
			mend()
			work()
			if s, err = status(); err != nil {
				t.Fatal(err)
			}
			if s.LastError != nil {
				t.Errorf("single run %t: mended, and yet the last error is %+v", single, s.LastError)
			}
			if got := b.State(id); got != store.StateLive {
				t.Errorf("single run %t: the publication is %s, want live", single, got)
			}
		})
	}
}
