package worker_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A picture whose server is away during the import is shown once that is back: the product is on
// sale meanwhile and reported as such, and over a restart nothing is forgotten.
func TestAPictureThatCameLateIsShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		down := harness.PicturesAway(b)
		ids := b.Market.AddSound(6)
		s := b.Once(false)
		if s.Exit != desk.ExitOK || s.Created != 6 || s.Reported != 6 || s.Seconds > 30 {
			t.Fatalf("got %+v, want Exit %v, Created 6, Reported 6 and Seconds at most 30", s, desk.ExitOK)
		}
		if got := b.Counts()[store.StatePartial]; got != 6 {
			t.Fatalf("got %v, want 6 partial", b.Counts())
		}
		e, err := harness.Explain(b.Store, publication.Rules{}, ids[0])
		if err != nil {
			t.Fatal(err)
		}
		if len(e.Shop.Missing) != 1 || !e.Shop.Missing[0].Later ||
			e.Shop.Missing[0].Reason != "the host answered 503" {
			t.Fatalf("missing %+v, want one for later as the host answered 503", e.Shop.Missing)
		}
		if e.Next == nil {
			t.Fatal("got no next look, want one")
		}
		time.Sleep(time.Minute)
		down(false)
		c, stop := b.Start()
		time.Sleep(5 * time.Minute)
		stop()
		_ = c
		if got := b.Counts()[store.StateLive]; got != 6 {
			t.Errorf("after the pictures are back: %v, want 6 live", b.Counts())
		}
		for _, call := range b.Shop.Since(6) {
			if call.Changed&^shopadapter.FieldImages != 0 {
				t.Errorf("a try for pictures writes %s, want %s", call.Changed, shopadapter.FieldImages)
			}
		}
		if got := len(b.Market.Reports()); got != 6 {
			t.Errorf("%d reports of 6 publications that were on sale all along, want 6", got)
		}
	})
}

// A run asks again for what was late in the run before; one for the whole list and a person do so
// too.
func TestRunsAskForLatePictures(t *testing.T) {
	for _, tt := range []struct {
		name string
		ask  func(b *harness.Bench, id string)
		full bool
	}{
		{"a run", func(*harness.Bench, string) {}, false},
		{"a run of everything, a day later", func(*harness.Bench, string) { time.Sleep(20 * time.Hour) }, true},
		{"retry", func(b *harness.Bench, id string) {
			time.Sleep(20 * time.Hour)
			if err := harness.Retry(b.Store, id, false); err != nil {
				b.T.Error(err)
			}
		}, false},
		{"retry --reset", func(b *harness.Bench, id string) {
			if err := harness.Retry(b.Store, id, true); err != nil {
				b.T.Error(err)
			}
		}, false},
		{"retry --failed", func(b *harness.Bench, _ string) {
			if _, err := harness.RetryFailed(b.Store); err != nil {
				b.T.Error(err)
			}
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := harness.New(t, sandbox.Options{RestoreRate: 2000})
				down := harness.PicturesAway(b)
				id := b.Market.AddSound(1)[0]
				b.Once(false)
				if s := b.Once(false); s.Updated != 0 || s.Exit != desk.ExitOK || b.State(id) != store.StatePartial {
					t.Errorf(
						"while the pictures are away: got %+v, %s, want Updated 0, Exit %v and state %v",
						s,
						b.State(id),
						desk.ExitOK,
						store.StatePartial,
					)
				}
				down(false)
				tt.ask(b, id)
				if s := b.Once(tt.full); s.Updated != 1 || b.State(id) != store.StateLive {
					t.Errorf("got %+v, %s, want Updated 1 and state %v", s, b.State(id), store.StateLive)
				}
			})
		})
	}
}

// A picture that the shop itself refuses is tried again when a person asks or the supplier changes
// the pictures, and at no other time.
func TestARefusedPicture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		b.Shop.Miss = func(string) (string, bool) { return "not an image", false }
		id := b.Market.AddSound(1)[0]
		b.Once(false)
		if b.State(id) != store.StatePartial || b.Record(id).Reported != store.StatusSuccess {
			t.Fatalf(
				"%s, reported %q, want state %v and Reported %v",
				b.State(id),
				b.Record(id).Reported,
				store.StatePartial,
				store.StatusSuccess,
			)
		}
		b.Once(true)
		if n := len(b.Shop.Since(0)); n != 1 {
			t.Errorf("%d calls, want that of the creation alone", n)
		}
		if err := harness.Retry(b.Store, id, false); err != nil {
			t.Fatal(err)
		}
		if s := b.Once(false); s.Unchanged != 1 || s.Updated != 0 || len(b.Shop.Since(0)) != 2 {
			t.Errorf("asked: %+v, %d calls, want Unchanged 1, Updated 0 and 2 calls", s, len(b.Shop.Since(0)))
		}
		b.Shop.Miss = nil
		if err := b.Market.Update(id, func(l *sandbox.Listing) { l.Pictures = l.Pictures[:len(l.Pictures)-1] }); err != nil {
			t.Fatal(err)
		}
		if s := b.Once(false); s.Updated != 1 || b.State(id) != store.StateLive {
			t.Errorf("changed: got %+v, %s, want Updated 1 and state %v", s, b.State(id), store.StateLive)
		}
	})
}

// A server of pictures that is away for long costs a reading a try: at most one in four hours.
func TestPicturesThatNeverComeCostLittle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		harness.PicturesAway(b)
		b.Market.AddSound(1)
		b.Once(false)
		_, stop := b.Start()
		time.Sleep(24 * time.Hour)
		n := len(b.Shop.Since(0))
		time.Sleep(48 * time.Hour)
		stop()
		if tries := len(b.Shop.Since(n)); tries < 8 || tries > 14 {
			t.Errorf("%d tries in two days, want at least 8 and at most 14", tries)
		}
	})
}

// Each webhook leads to a look, and no look waits for a server of pictures that hangs.
func TestWebhooksDoNotBringLatePicturesForward(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		harness.PicturesAway(b)
		id := b.Market.AddSound(1)[0]
		b.Once(false)
		c, stop := b.Start()
		defer stop()
		time.Sleep(20 * time.Minute)
		n := len(b.Shop.Since(0))
		for i := range 12 {
			if err := b.Market.SetStock(id, "", 100+i); err != nil {
				t.Fatal(err)
			}
			if err := b.Store.Mark(b.T.Context(),
				store.Mark{ID: id, Class: store.ClassHook, Cause: store.CauseSigned, At: store.At(time.Now())}); err != nil {
				t.Fatal(err)
			}
			c.Desk().Worker.Wake()
			time.Sleep(20 * time.Second)
		}
		asked := 0
		for _, call := range b.Shop.Since(n) {
			if call.Changed.Has(shopadapter.FieldImages) {
				asked++
			}
		}
		if all := len(b.Shop.Since(n)); all < 12 || asked > 1 {
			t.Errorf("%d of %d looks asked for pictures, want at least 12 and at most 1", asked, all)
		}
	})
}

// Pictures that the merchant keeps are written at the creation only, late ones included. Others
// that the supplier offers afterwards are not.
func TestLatePicturesOfWhatTheMerchantKeeps(t *testing.T) {
	for _, changed := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			b := harness.New(t, sandbox.Options{RestoreRate: 2000})
			b.Tune = func(o *connector.Options) { o.Rules.Keep = shopadapter.FieldImages }
			down := harness.PicturesAway(b)
			id := b.Market.AddSound(1)[0]
			b.Once(false)
			if changed {
				if err := b.Market.Update(id,
					func(l *sandbox.Listing) { l.Pictures = append(l.Pictures, l.Pictures[0]) }); err != nil {
					t.Fatal(err)
				}
			}
			n := len(b.Shop.Since(0))
			down(false)
			b.Once(false)
			b.Once(false)
			asked := slices.ContainsFunc(
				b.Shop.Since(n),
				func(c harness.Call) bool { return c.Changed.Has(shopadapter.FieldImages) },
			)
			if asked == changed {
				t.Errorf("changed %t: asked for pictures %t, want %t", changed, asked, !changed)
			}
			if got := b.State(id); got != store.StateLive {
				t.Errorf("changed %t: got %s, want %s", changed, got, store.StateLive)
			}
		})
	}
}
