package connector_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A slowShop takes its time over some products, as a shop does that downloads their pictures from
// a server that hangs.
type slowShop struct {
	*harness.Shop
	takes func(shopadapter.PublicationID) time.Duration
}

func (s slowShop) Publish(
	ctx context.Context,
	ref shopadapter.Ref,
	p shopadapter.Product,
	changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	if breaker.Sleep(ctx, s.takes(ref.Publication)); ctx.Err() != nil {
		return shopadapter.Listing{}, ctx.Err()
	}
	return s.Shop.Publish(ctx, ref, p, changed)
}

// The patience of a run holds for the calls that are under way: they are cancelled, and what they
// were about is done by the next run.
func TestPatienceHoldsForCallsUnderWay(t *testing.T) {
	const patience = 100 * time.Second
	for _, tt := range []struct {
		name  string
		hang  int // products that hang
		takes time.Duration
		sound int
		most  time.Duration // of the run
		exit  int
	}{
		{"one hangs", 1, 5 * time.Minute, 6, 106 * time.Second, desk.ExitStanding},
		{"as many as there are places", 4, 5 * time.Minute, 6, 106 * time.Second, desk.ExitStanding},
		{"more than there are places", 9, 90 * time.Second, 6, 155 * time.Second, desk.ExitStanding},
		{"they are slow, and come to an end", 20, 20 * time.Second, 0, 110 * time.Second, desk.ExitOK},
		{"there are many, and they come to an end", 60, 20 * time.Second, 0, 330 * time.Second, desk.ExitOK},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := harness.New(t, sandbox.Options{RestoreRate: 2000})
				slow := map[shopadapter.PublicationID]bool{}
				takes := tt.takes
				b.Tune = func(o *connector.Options) {
					o.Shop = slowShop{b.Shop, func(id shopadapter.PublicationID) time.Duration {
						if slow[id] {
							return takes
						}
						return 0
					}}
				}
				for _, id := range b.Market.AddSound(tt.hang) {
					slow[shopadapter.PublicationID(id)] = true
				}
				sound := b.Market.AddSound(tt.sound)
				begun := time.Now()
				s, err := b.Connector().Once(t.Context(), desk.RunOptions{Patience: patience})
				took := time.Since(begun)
				t.Log(took, s, err)
				if s.Exit != tt.exit || took > tt.most {
					t.Errorf("after %s: %+v", took, s)
				}
				if tt.exit == desk.ExitOK {
					return
				}
				if s.Pending == 0 || !strings.Contains(s.Error, "does not come to an end") {
					t.Errorf("%+v", s)
				}
				stopped := 0
				for r, err := range store.Records(b.T.Context(), b.Store, store.Query{}) {
					if err != nil {
						t.Fatal(err)
					}
					if h := r.History; len(h) > 0 && strings.Contains(h[len(h)-1].What, "had not come to an end") {
						stopped++
					}
				}
				if stopped == 0 {
					t.Error("no history tells of a call that was given up")
				}
				if _, err := b.Connector().Once(t.Context(), desk.RunOptions{Patience: patience}); err == nil {
					t.Error("the next run, and nothing hangs")
				}
				for _, id := range sound {
					if _, onSale := b.Shop.Get(id); !onSale {
						t.Error("what hangs stood before all others in two runs")
					}
				}
				takes = 0
				if s := b.Once(false); s.Exit != desk.ExitOK || b.Counts()[store.StateLive] != tt.hang+tt.sound {
					t.Errorf("the next run: %+v", s)
				}
				if n := b.Shop.Count("create"); n != tt.hang+tt.sound {
					t.Errorf("got %d creations, want %d", n, tt.hang+tt.sound)
				}
			})
		})
	}
}

// A failingShop answers after a while, and never with success.
type failingShop struct {
	*harness.Shop
	takes time.Duration
}

func (s failingShop) Publish(
	ctx context.Context,
	_ shopadapter.Ref,
	_ shopadapter.Product,
	_ shopadapter.Fields,
) (shopadapter.Listing, error) {
	if breaker.Sleep(ctx, s.takes); ctx.Err() != nil {
		return shopadapter.Listing{}, ctx.Err()
	}
	return shopadapter.Listing{}, shopadapter.Retry("the shop did not come to an end with it")
}

// afterRun is what a run leaves to a call that is under way at its end.
const afterRun = 3 * time.Second

// A run is no longer than its patience and one call, however much is left to do, where no call of
// the shop comes to anything.
func TestARunInWhichEachCallFailsIsBounded(t *testing.T) {
	const patience = 2 * time.Minute
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		b.Tune = func(o *connector.Options) { o.Shop = failingShop{b.Shop, 50 * time.Second} }
		b.Market.AddSound(40)
		begun := time.Now()
		s, err := b.Connector().Once(t.Context(), desk.RunOptions{Patience: patience})
		if took := time.Since(begun); took > patience+50*time.Second+afterRun || s.Pending == 0 ||
			s.Exit == desk.ExitOK {
			t.Errorf("after %s, of %s and one call: %+v, %v", took, patience, s, err)
		}
		b.Tune = nil
		if s := b.Once(false); s.Exit != desk.ExitOK || b.Counts()[store.StateLive] != 40 {
			t.Errorf("the next run: %+v", s)
		}
	})
}

// A change of what is on sale that hangs is not called done either; and a shop whose check hangs
// too is a shop that cannot be reached.
func TestAHungChangeIsSaid(t *testing.T) {
	for _, dead := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			b := harness.New(t, sandbox.Options{RestoreRate: 2000})
			takes := time.Duration(0)
			b.Tune = func(o *connector.Options) {
				o.Shop = slowShop{b.Shop, func(shopadapter.PublicationID) time.Duration { return takes }}
			}
			id := b.Market.AddSound(1)[0]
			b.Once(false)
			if err := b.Market.SetStock(id, "", 71); err != nil {
				t.Fatal(err)
			}
			takes = 8 * time.Minute
			want := desk.ExitStanding
			if dead {
				b.Shop.CheckErr, want = context.DeadlineExceeded, desk.ExitShop
			}
			begun := time.Now()
			s, err := b.Connector().Once(t.Context(), desk.RunOptions{Patience: 20 * time.Second})
			if took := time.Since(begun); s.Exit != want || err == nil || s.Error == "" || took > 30*time.Second {
				t.Errorf("dead %t: after %s: %+v, %v", dead, took, s, err)
			}
			b.Shop.CheckErr, takes = nil, 0
			if s := b.Once(false); s.Updated != 1 || s.Exit != desk.ExitOK {
				t.Errorf("dead %t: the next run: %+v", dead, s)
			}
		})
	}
}

// Where a worker makes the run, it is the run that ends: the call goes on.
func TestARunBesideTheWorkerLeavesAHungCallToIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		b.Tune = func(o *connector.Options) {
			o.Shop = slowShop{b.Shop, func(shopadapter.PublicationID) time.Duration { return 5 * time.Minute }}
		}
		c, stop := b.Start()
		time.Sleep(5 * time.Second)
		b.Market.AddSound(1)
		s, err := c.RunOnce(t.Context(), desk.RunOptions{Patience: 100 * time.Second})
		if s.Exit != desk.ExitStanding || s.Seconds > 105 || err == nil {
			t.Errorf("%+v, %v", s, err)
		}
		time.Sleep(5 * time.Minute)
		if n := b.Shop.Count("create"); n != 1 {
			t.Errorf("%d creations, want 1", n)
		}
		stop()
	})
}

// A server of pictures that hangs longer than the patience keeps nothing from being well that is on
// sale.
func TestALatePictureThatHangsIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		harness.PicturesAway(b)
		takes := time.Duration(0)
		b.Tune = func(o *connector.Options) {
			o.Shop = slowShop{b.Shop, func(shopadapter.PublicationID) time.Duration { return takes }}
		}
		id := b.Market.AddSound(1)[0]
		b.Once(false)
		takes = 5 * time.Minute
		begun := time.Now()
		s, err := b.Connector().Once(t.Context(), desk.RunOptions{Patience: 100 * time.Second})
		if took := time.Since(begun); s.Exit != desk.ExitOK || err != nil || took > 110*time.Second ||
			b.State(id) != store.StatePartial {
			t.Errorf("after %s: %+v, %v, %s", took, s, err, b.State(id))
		}
		takes = 0
		b.Shop.Miss = nil
		if s := b.Once(false); s.Exit != desk.ExitOK || b.State(id) != store.StateLive {
			t.Errorf("got %+v, %s, want Exit %v and state %v", s, b.State(id), desk.ExitOK, store.StateLive)
		}
	})
}
