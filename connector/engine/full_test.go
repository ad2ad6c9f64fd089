package engine_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
	"github.com/pubsync/pubsync/store"
)

// A full run that is interrupted reads in its next try what it had not read, and its summary has what was under way.
// Where another run has read the rest meanwhile, it reads all.
func TestAFullRunGoesOn(t *testing.T) {
	const entries = 60
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		b.Market.AddSound(entries)
		f := b.Forge()
		b.Once(false)
		read := 0
		ctx, interrupt := context.WithCancel(t.Context())
		until := entries / 2
		f.Do(func() {
			f.Answer = func(operation, _ string) string {
				if operation == "Content" {
					if read++; read == until {
						interrupt()
					}
				}
				return ""
			}
		})
		time.Sleep(time.Hour)
		s, err := b.Connector().Once(ctx, desk.RunOptions{Full: true, Patience: 2 * time.Minute})
		if err == nil || int(s.Unchanged) != read || s.Exit != desk.ExitStanding || s.Error == "" {
			t.Errorf("interrupted after %d of %d: %+v, %v", read, entries, s, err)
		}
		s = b.Once(true)
		const slots = 4 // a look that is under way when the list shows its entry is made once more
		if read < entries || read > entries+slots || s.Swept != entries || s.Exit != desk.ExitOK {
			t.Errorf("%d contents were read of %d in both runs: %+v", read, entries, s)
		}
		before := read
		if s = b.Once(true); read < before+entries {
			t.Errorf("another full run read %d, want all %d: %+v", read-before, entries, s)
		}
		time.Sleep(time.Hour)
		until, before = read+entries/2, read
		ctx, interrupt = context.WithCancel(t.Context())
		defer interrupt()
		if _, err := b.Connector().Once(ctx, desk.RunOptions{Full: true, Patience: 2 * time.Minute}); err == nil {
			t.Error("it was not interrupted")
		}
		b.Once(false)
		if read < before+entries {
			t.Errorf("the run after it read %d in all, want %d", read-before, entries)
		}
		time.Sleep(time.Hour)
		before = read
		if s = b.Once(true); read < before+entries {
			t.Errorf("a full run after both read %d, want all %d: %+v", read-before, entries, s)
		}
	})
}

// Without a worker status ends as the last run did.
func TestStatusEndsAsTheRunDid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		b.Market.AddSound(2)
		b.Once(false)
		b.Shop.Rule(func(shoptest.Call) shoptest.Reply {
			return shoptest.Reply{Err: shopadapter.Retry("no answer")}
		})
		s := b.Once(false)
		status, err := harness.Desk(b.Store).Status(t.Context())
		if err != nil || s.Exit != desk.ExitShop || status.Exit() != s.Exit {
			t.Errorf("the run ended with %d, and status says %d, %v", s.Exit, status.Exit(), err)
		}
	})
}

// Where the shop answers neither its check nor a write, one publication is enough for status to say that it is away.
func TestAShopThatIsAwayIsToldAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		id := b.Market.AddSound(3)[0]
		b.Tune = func(o *connector.Options) { o.Sweep = cron.Every(time.Minute) }
		c, stop := b.Start()
		defer stop()
		time.Sleep(10 * time.Minute)
		b.Shop.Rule(func(shoptest.Call) shoptest.Reply {
			return shoptest.Reply{Err: shopadapter.Retry("no answer")}
		})
		b.Update(id, func(l *sandbox.Listing) { l.Variants[0].Quantity++ })
		time.Sleep(2 * time.Minute)
		s, err := c.Desk().Status(t.Context())
		if err != nil || !s.Shop.Paused || s.Exit() != desk.ExitShop {
			t.Errorf("got %+v, exit %d, %v, want a pause of the shop and exit 4", s.Shop, s.Exit(), err)
		}
	})
}

// A pause of the shop that keeps nothing waiting is no fault of the run, and so none of status.
func TestStatusEndsAsAGoodRunDid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		b.Market.AddSound(2)
		b.Shop.Can(shoptest.Abilities{Lists: true})
		b.Tune = func(o *connector.Options) { o.Resync = cron.Every(time.Hour) }
		b.Once(false)
		b.Shop.Rule(func(c shoptest.Call) (r shoptest.Reply) {
			if c.Method == shoptest.List {
				r.Err = &shopadapter.Error{Message: "busy", ShopWide: true, RetryAfter: time.Hour, Limited: true}
			}
			return r
		})
		time.Sleep(25 * time.Hour)
		s := b.Once(false)
		status, err := harness.Desk(b.Store).Status(t.Context())
		if err != nil || s.Exit != desk.ExitOK || status.Exit() != s.Exit {
			t.Errorf("the run ended with %d, and status says %d, %v", s.Exit, status.Exit(), err)
		}
	})
}

// unhurried is a marketplace whose lists take a second, and whose figures three.
type unhurried struct{ http.RoundTripper }

func (u unhurried) RoundTrip(r *http.Request) (*http.Response, error) {
	asked, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	for operation, span := range map[string]time.Duration{"List": time.Second, "Figures": 3 * time.Second} {
		if bytes.Contains(asked, []byte(`"operationName":"`+operation+`"`)) {
			time.Sleep(span)
		}
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(asked))
	return u.RoundTripper.RoundTrip(r)
}

// A full run reads what is due as by a webhook, though it is listed during a look at its figures: no webhook comes to a
// single run, whose looks another one would be too soon after.
func TestAFullRunPutsNothingOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, harness.Unthrottled())
		b.Shop.Can(shoptest.Abilities{Figures: true})
		id := b.Market.AddSound(1)[0]
		b.Once(false)
		b.Update(id, func(l *sandbox.Listing) { l.Texts["en"] = sandbox.Text{Title: "Another title"} })
		if err := b.Store.Mark(t.Context(), store.Mark{
			ID: id, Class: store.ClassHook, At: store.At(time.Now()),
		}); err != nil {
			t.Fatal(err)
		}
		b.Tune = func(o *connector.Options) {
			o.Scarce = func() bool { return true }
			o.Marketplace = harness.Client(unhurried{b.Market.Transport()})
		}
		s := b.Once(true)
		if p, _ := b.Shop.Get(id); p.Title != "Another title" {
			t.Errorf("the shop has the title %q after %+v, want the supplier's", p.Title, s)
		}
	})
}

// The status of a run keeps what an earlier process did last of the other kind.
func TestWhatWasSweptLastStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, harness.Unthrottled())
		b.Market.AddSound(1)
		b.Once(true)
		full := time.Now()
		time.Sleep(time.Hour)
		b.Once(false)
		s, err := harness.Desk(b.Store).Status(t.Context())
		if err != nil || time.Since(s.Sweeps.Incremental.Completed) > time.Minute || s.Sweeps.Full.Completed.After(full) ||
			full.Sub(s.Sweeps.Full.Completed) > time.Minute {
			t.Errorf("the last sweeps are %+v, error %v; want one of now, and an enumeration an hour ago", s.Sweeps, err)
		}
	})
}
