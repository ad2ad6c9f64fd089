package probe_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
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

// maintain puts the shop under maintenance until the function that it returns is called. Each
// request is answered with a Retry-After.
func maintain(b *harness.Bench, after time.Duration) (end func()) {
	away := shopadapter.Retry("briefly unavailable for maintenance").Everywhere().After(after)
	set := func(err error, refuse func(harness.Call) error) {
		b.Shop.Lock()
		defer b.Shop.Unlock()
		b.Shop.CheckErr, b.Shop.Refuse = err, refuse
	}
	set(away, func(harness.Call) error { return away })
	return func() { set(nil, nil) }
}

// awaitLive is how long it takes, asked every second, until so many are live.
func awaitLive(b *harness.Bench, n int) time.Duration {
	begun := time.Now()
	for b.Counts()[store.StateLive] < n && time.Since(begun) < time.Hour {
		time.Sleep(time.Second)
	}
	return time.Since(begun)
}

// A lateShop is a shop of which each answer takes longer than the one before.
type lateShop struct {
	*harness.Shop
	answers atomic.Int64
}

func (l *lateShop) Publish(
	ctx context.Context,
	ref shopadapter.Ref,
	p shopadapter.Product,
	changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	listing, err := l.Shop.Publish(ctx, ref, p, changed)
	time.Sleep(time.Duration(l.answers.Add(1)) * 300 * time.Millisecond)
	return listing, err
}

// A Retry-After of ten minutes for a maintenance of seconds costs seconds, and no less than the
// shop asked for where nobody can check it.
func TestAMaintenanceOfSecondsIsNotAPauseOfMinutes(t *testing.T) {
	for _, tt := range []struct {
		name        string
		tune        func(*connector.Options)
		after       time.Duration
		least, most time.Duration
	}{
		{"a check", nil, 10 * time.Minute, 0, 40 * time.Second},
		{
			"no check", func(o *connector.Options) { o.Shop = struct{ shopadapter.Adapter }{o.Shop} }, 10 * time.Minute,
			8 * time.Minute, 10 * time.Minute,
		},
		{"a check, and a short pause", nil, time.Minute, 40 * time.Second, time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := harness.New(t, sandbox.Options{RestoreRate: 2000})
				b.Tune = tt.tune
				b.Market.AddSound(5)
				end := maintain(b, tt.after)
				_, stop := b.Start()
				defer stop()
				time.Sleep(10 * time.Second)
				end()
				if took := awaitLive(b, 5); took < tt.least || took > tt.most {
					t.Errorf(
						"on sale %s after the shop was back, want at least %v and at most %v",
						took,
						tt.least,
						tt.most,
					)
				}
				time.Sleep(time.Minute)
				if n := b.Shop.Count("create"); n != 5 {
					t.Errorf("%d creations, want 5", n)
				}
				p, err := b.Store.Meta(b.T.Context(), "pause")
				if err != nil {
					t.Error(err)
				}
				if tt.tune == nil && tt.after > time.Minute && strings.Contains(p, "maintenance") {
					t.Errorf("a restart would take the pause up again: kept is %s, want no maintenance", p)
				}
			})
		})
	}
}

// The calls that the shop refuses at the beginning of a pause end one after another, and settle a
// moment later still. The end of the pause wakes all.
func TestTheEndOfAPauseWakesEverybodyWhomItPutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		b.Tune = func(o *connector.Options) { o.Shop = &lateShop{Shop: o.Shop.(*harness.Shop)} }
		b.Market.AddSound(5)
		end := maintain(b, 10*time.Minute)
		b.Shop.CheckErr = nil // it went down after the check at the start
		_, stop := b.Start()
		defer stop()
		time.Sleep(10 * time.Second)
		end()
		if took := awaitLive(b, 5); took > time.Minute {
			t.Errorf("on sale %s after the shop was back, want at most %v", took, time.Minute)
		}
	})
}

// A person sees when the shop is tried next, which is long before the end of a pause that a check
// may end.
func TestTheStatusTellsOfTheNextCheckDuringAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		b.Market.AddSound(1)
		maintain(b, 10*time.Minute)
		c, stop := b.Start()
		defer stop()
		for range 3 {
			time.Sleep(20 * time.Second)
			s, err := harness.Status(c)
			if err != nil {
				t.Fatal(err)
			}
			if s.Shop.Until == nil {
				t.Fatalf("the shop is %+v at %s, want a time until which it is paused", s.Shop, time.Now())
			}
			if left := time.Until(*s.Shop.Until); left < 0 || left > 30*time.Second {
				t.Errorf("the shop is paused for %s, want 0s to 30s", left)
			}
		}
	})
}

// A shop that counts requests answers the check and asks for a pause again: it is tried more and
// more seldom.
func TestAShopWhoseCheckPassesDuringAPauseIsNotTriedAllTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		tries := 0
		b.Shop.Refuse = func(harness.Call) error {
			tries++
			return shopadapter.Retry("too many requests").Everywhere().After(10 * time.Hour)
		}
		b.Market.AddSound(5)
		c, stop := b.Start()
		defer stop()
		time.Sleep(time.Hour)
		b.Shop.Lock()
		n := tries
		b.Shop.Unlock()
		if n < 5 || n > 14 {
			t.Errorf("%d tries within an hour, want at least 5 and at most 14", n)
		}
		time.Sleep(3 * time.Hour)
		b.Shop.Lock()
		b.Shop.Refuse = nil
		b.Shop.Unlock()
		if took := awaitLive(b, 5); took > 16*time.Minute+time.Minute {
			t.Errorf("on sale %s after the shop was back, want at most %v", took, 16*time.Minute+time.Minute)
		}
		if s, err := harness.Status(c); err != nil || s.Shop.Paused || s.Shop.Until != nil {
			t.Errorf("it is paused still: %+v, %v, want no pause, no time and no error", s.Shop, err)
		}
	})
}

// A person's request during a pause is tried at once, and the answer says why it waits.
func TestAPersonAsksDuringAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		ids := b.Market.AddSound(5)
		end := maintain(b, 10*time.Minute)
		c, stop := b.Start()
		defer stop()
		time.Sleep(5 * time.Second)
		admin := c.AdminHandler(true)
		ask := func(path string) *httptest.ResponseRecorder {
			w := httptest.NewRecorder()
			r := httptest.NewRequestWithContext(
				t.Context(),
				http.MethodPost,
				"http://127.0.0.1:9464"+path,
				strings.NewReader("{}"),
			)
			admin.ServeHTTP(w, r)
			return w
		}
		for _, path := range []string{"/api/v1/publications/" + ids[0] + "/retry", "/api/v1/sweep"} {
			if w := ask(path); w.Code >= 300 || !strings.Contains(w.Header().Get(desk.WaitsHeader), "maintenance") {
				t.Errorf(
					"%s: %d, waits for %q, want less than 300 and maintenance",
					path,
					w.Code,
					w.Header().Get(desk.WaitsHeader),
				)
			}
			time.Sleep(3 * time.Second)
		}
		end()
		if w := ask("/api/v1/publications/" + ids[0] + "/retry"); w.Header().Get(desk.WaitsHeader) != "" {
			t.Errorf("waits for %q, want nothing: the shop is back", w.Header().Get(desk.WaitsHeader))
		}
		if took := awaitLive(b, 5); took > 5*time.Second {
			t.Errorf("on sale %s after the shop was back, want at most %v", took, 5*time.Second)
		}
	})
}

// A run is patient with a pause that a check may end, and says what it waits for where it stands;
// also when nothing but a change of what is live waits.
func TestARunDuringAPause(t *testing.T) {
	for _, beside := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			b := harness.New(t, sandbox.Options{RestoreRate: 2000})
			ids := b.Market.AddSound(3)
			b.Once(false)
			end := maintain(b, 10*time.Minute)
			once := b.Once
			if beside {
				c, stop := b.Start()
				defer stop()
				time.Sleep(5 * time.Second)
				once = func(full bool) desk.Summary {
					//nolint:errcheck // the summary says it
					s, _ := c.RunOnce(
						t.Context(),
						desk.RunOptions{Full: full, Patience: 2 * time.Minute},
					)
					return s
				}
			}
			change := func(n int) {
				if err := b.Market.SetStock(ids[0], "", n); err != nil {
					t.Fatal(err)
				}
			}
			change(71)
			s := once(false)
			if s.Exit != desk.ExitShop || !strings.Contains(s.Error, "asked for a pause until") ||
				!strings.Contains(s.Error, "maintenance") {
				t.Errorf("beside %t: during the pause: %+v, want Exit %d for maintenance", beside, s, desk.ExitShop)
			}
			if s.Seconds < 100 || s.Seconds > 160 {
				t.Errorf(
					"beside %t: a patience of two minutes lasted %.0f s, want Seconds at least 100 and Seconds at most 160",
					beside,
					s.Seconds,
				)
			}
			change(72)
			time.AfterFunc(20*time.Second, end)
			if s := once(false); s.Exit != desk.ExitOK || s.Updated != 1 || s.Seconds > 40 {
				t.Errorf(
					"beside %t: the maintenance ends meanwhile: %+v, want Exit %d, Updated 1 and Seconds at most 40",
					beside,
					s,
					desk.ExitOK,
				)
			}
			if p, _ := b.Shop.Get(ids[0]); p.Variants[0].Quantity != 72 {
				t.Errorf("beside %t: shows %d, want 72", beside, p.Variants[0].Quantity)
			}
		})
	}
}
