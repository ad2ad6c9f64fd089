package connector

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// away is a server of pictures that can be down.
func away(b *bench) (set func(bool)) {
	var down atomic.Bool
	b.shop.miss = func(address string) (string, bool) {
		if down.Load() && strings.Contains(address, "-1.png") {
			return "the host answered 503", true
		}
		return "", false
	}
	down.Store(true)
	return down.Store
}

// A picture whose server is away during the import is shown once that is back: the product is on
// sale meanwhile and reported as such, and over a restart nothing is forgotten.
func TestAPictureThatCameLateIsShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{RestoreRate: 2000})
		down := away(b)
		ids := b.box.AddSound(6)
		s := b.once(false)
		if s.Exit != desk.ExitOK || s.Created != 6 || s.Reported != 6 || s.Seconds > 30 {
			t.Fatalf("%+v", s)
		}
		if got := b.counts()[store.StatePartial]; got != 6 {
			t.Fatalf("%v", b.counts())
		}
		e, err := Explain(b.store, publication.Rules{}, ids[0])
		if err != nil || len(e.Shop.Missing) != 1 || !e.Shop.Missing[0].Later ||
			e.Shop.Missing[0].Reason != "the host answered 503" ||
			e.Next == nil {
			t.Fatalf("%+v, %v", e, err)
		}
		time.Sleep(time.Minute)
		down(false)
		c, stop := b.run()
		time.Sleep(5 * time.Minute)
		stop()
		_ = c
		if got := b.counts()[store.StateLive]; got != 6 {
			t.Errorf("after the pictures are back: %v", b.counts())
		}
		for _, call := range b.shop.since(6) {
			if call.changed&^shopadapter.FieldImages != 0 {
				t.Errorf("a try for pictures writes %s", call.changed)
			}
		}
		if got := len(b.box.Reports()); got != 6 {
			t.Errorf("%d reports of 6 publications that were on sale all along", got)
		}
	})
}

// A run asks again for what was late in the run before; one for the whole list and a person do so
// too.
func TestRunsAskForLatePictures(t *testing.T) {
	for _, tt := range []struct {
		name string
		ask  func(b *bench, id string)
		full bool
	}{
		{"a run", func(*bench, string) {}, false},
		{"a run of everything, a day later", func(*bench, string) { time.Sleep(20 * time.Hour) }, true},
		{"retry", func(b *bench, id string) {
			time.Sleep(20 * time.Hour)
			if err := Retry(b.store, id, false); err != nil {
				b.t.Error(err)
			}
		}, false},
		{"retry --reset", func(b *bench, id string) {
			if err := Retry(b.store, id, true); err != nil {
				b.t.Error(err)
			}
		}, false},
		{"retry --failed", func(b *bench, _ string) {
			if _, err := RetryFailed(b.store); err != nil {
				b.t.Error(err)
			}
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, sandbox.Options{RestoreRate: 2000})
				down := away(b)
				id := b.box.AddSound(1)[0]
				b.once(false)
				if s := b.once(false); s.Updated != 0 || s.Exit != desk.ExitOK || b.state(id) != store.StatePartial {
					t.Errorf("while the pictures are away: %+v, %s", s, b.state(id))
				}
				down(false)
				tt.ask(b, id)
				if s := b.once(tt.full); s.Updated != 1 || b.state(id) != store.StateLive {
					t.Errorf("%+v, %s", s, b.state(id))
				}
			})
		})
	}
}

// A picture that the shop itself refuses is tried again when a person asks or the supplier changes
// the pictures, and at no other time.
func TestARefusedPicture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{RestoreRate: 2000})
		b.shop.miss = func(string) (string, bool) { return "not an image", false }
		id := b.box.AddSound(1)[0]
		b.once(false)
		if b.state(id) != store.StatePartial || b.record(id).Reported != store.StatusSuccess {
			t.Fatalf("%s, reported %q", b.state(id), b.record(id).Reported)
		}
		b.once(true)
		if n := len(b.shop.since(0)); n != 1 {
			t.Errorf("%d calls, want that of the creation alone", n)
		}
		if err := Retry(b.store, id, false); err != nil {
			t.Fatal(err)
		}
		if s := b.once(false); s.Unchanged != 1 || s.Updated != 0 || len(b.shop.since(0)) != 2 {
			t.Errorf("asked: %+v, %d calls", s, len(b.shop.since(0)))
		}
		b.shop.miss = nil
		if err := b.box.Update(id, func(l *sandbox.Listing) { l.Pictures = l.Pictures[:len(l.Pictures)-1] }); err != nil {
			t.Fatal(err)
		}
		if s := b.once(false); s.Updated != 1 || b.state(id) != store.StateLive {
			t.Errorf("changed: %+v, %s", s, b.state(id))
		}
	})
}

// A server of pictures that is away for long costs a reading a try: at most one in four hours.
func TestPicturesThatNeverComeCostLittle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{RestoreRate: 2000})
		away(b)
		b.box.AddSound(1)
		b.once(false)
		_, stop := b.run()
		time.Sleep(24 * time.Hour)
		n := len(b.shop.since(0))
		time.Sleep(48 * time.Hour)
		stop()
		if tries := len(b.shop.since(n)); tries < 8 || tries > 14 {
			t.Errorf("%d tries in two days", tries)
		}
	})
}

// Each webhook leads to a look, and no look waits for a server of pictures that hangs.
func TestWebhooksDoNotBringLatePicturesForward(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{RestoreRate: 2000})
		away(b)
		id := b.box.AddSound(1)[0]
		b.once(false)
		c, stop := b.run()
		defer stop()
		time.Sleep(20 * time.Minute)
		n := len(b.shop.since(0))
		for i := range 12 {
			if err := b.box.SetStock(id, "", 100+i); err != nil {
				t.Fatal(err)
			}
			if err := b.store.Mark(b.t.Context(), store.Mark{ID: id, Class: store.ClassHook, Cause: store.CauseSigned, At: store.At(time.Now())}); err != nil {
				t.Fatal(err)
			}
			c.Desk().Worker.Wake()
			time.Sleep(20 * time.Second)
		}
		asked := 0
		for _, call := range b.shop.since(n) {
			if call.changed.Has(shopadapter.FieldImages) {
				asked++
			}
		}
		if all := len(b.shop.since(n)); all < 12 || asked > 1 {
			t.Errorf("%d of %d looks asked for pictures", asked, all)
		}
	})
}

// run starts the worker. stop ends it.
func (b *bench) run() (c *Connector, stop func()) {
	b.t.Helper()
	c = b.connector()
	ctx, cancel := context.WithCancel(b.t.Context())
	done := make(chan error)
	go func() { done <- c.Run(ctx, Listeners{}) }()
	return c, func() {
		cancel()
		if err := <-done; err != nil {
			b.t.Error(err)
		}
	}
}

// Pictures that the merchant keeps are written at the creation only, late ones included. Others
// that the supplier offers afterwards are not.
func TestLatePicturesOfWhatTheMerchantKeeps(t *testing.T) {
	for _, changed := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, sandbox.Options{RestoreRate: 2000})
			b.tune = func(o *Options) { o.Rules.Keep = shopadapter.FieldImages }
			down := away(b)
			id := b.box.AddSound(1)[0]
			b.once(false)
			if changed {
				if err := b.box.Update(id, func(l *sandbox.Listing) { l.Pictures = append(l.Pictures, l.Pictures[0]) }); err != nil {
					t.Fatal(err)
				}
			}
			n := len(b.shop.since(0))
			down(false)
			b.once(false)
			b.once(false)
			asked := slices.ContainsFunc(
				b.shop.since(n),
				func(c call) bool { return c.changed.Has(shopadapter.FieldImages) },
			)
			if asked == changed || b.state(id) != store.StateLive {
				t.Errorf("changed %t: asked for pictures %t, %s", changed, asked, b.state(id))
			}
		})
	}
}
