package probe_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter"
)

// While the token is refused each sample says so, between two tries too, and a sweep that failed is
// no sweep.
func TestPausedIsPaused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		b.Market.AddSound(2)
		b.Market.SetToken("another")
		b.Tune = func(o *connector.Options) {
			o.Sweep, o.Resync, o.Webhook.URL = cron.Every(30*time.Second), cron.Every(time.Minute), harness.HookAddress
		}
		begun := time.Now()
		c, stop := b.Start()
		defer stop()
		for i := range 122 {
			time.Sleep(time.Second)
			if got := harness.Metric(t, c, "marketplace_paused"); got != 1 {
				t.Fatalf("sample %d: marketplace_paused is %g, want 1", i, got)
			}
			s, err := harness.Status(c)
			if err != nil {
				t.Fatal(err)
			}
			m := s.Marketplace
			if !m.Paused || !strings.Contains(m.Reason, "token was refused") {
				t.Fatalf("sample %d: status says %+v, want a pause for the token", i, m)
			}
			if m.Since == nil || m.Since.Sub(begun) > time.Second {
				t.Fatalf("sample %d: it is paused since %v, want at most 1s after %v", i, m.Since, begun)
			}
		}
		if at := harness.Metric(t, c, "last_sweep_timestamp_seconds"); at != 0 {
			t.Errorf("a sweep that failed counts as one at %f, want 0", at)
		}
		if at := harness.Metric(t, c, "last_sweep_attempt_timestamp_seconds"); at < float64(
			begun.Add(time.Second).UnixMilli(),
		)/1000 {
			t.Errorf(
				"the last attempt is said to be of %f, want at least %v",
				at,
				float64(begun.Add(time.Second).UnixMilli())/1000,
			)
		}
		b.Market.SetToken(sandbox.DefaultToken)
		time.Sleep(breaker.MaxBackoff + breaker.MaxPause)
		at := harness.Metric(t, c, "last_sweep_timestamp_seconds")
		if paused := harness.Metric(t, c, "marketplace_paused"); paused != 0 {
			t.Errorf("the token is good again: marketplace_paused is %g, want 0", paused)
		}
		if at == 0 {
			t.Error("the token is good again: the last sweep is of 0, want a time")
		}
		if s, err := harness.Status(c); err != nil || s.Marketplace.Paused || s.Marketplace.Since != nil ||
			s.Marketplace.Reason != "" {
			t.Errorf("status says %+v, %v, want no pause, no time, no reason and no error", s.Marketplace, err)
		}
		b.Market.SetToken("another")
		refused := time.Now()
		time.Sleep(10 * time.Minute)
		if now := harness.Metric(t, c, "last_sweep_timestamp_seconds"); now < at ||
			now > float64(refused.UnixMilli())/1000 {
			t.Errorf(
				"the last sweep moved from %f to %f though each since was refused, want at least %v and at most %v",
				at,
				now,
				at,
				float64(refused.UnixMilli())/1000,
			)
		}
	})
}

// A pause is logged once, and once more for each other reason that it comes to have.
func TestAPauseIsLoggedAgainForAnotherReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(
			t,
			sandbox.Options{Faults: []sandbox.Fault{{Kind: sandbox.ServerError, Probability: 1, Status: 503}}},
		)
		b.Market.AddSound(2)
		var said bytes.Buffer
		b.Tune = func(o *connector.Options) {
			o.Sweep, o.Webhook.URL = cron.Every(time.Minute), harness.HookAddress
			o.Logger = slog.New(slog.NewTextHandler(&said, nil))
		}
		_, stop := b.Start()
		count := func(word string) (n int) {
			for line := range strings.SplitSeq(said.String(), "\n") {
				if strings.Contains(line, "marketplace cannot be used") && strings.Contains(line, word) {
					n++
				}
			}
			return n
		}
		time.Sleep(20 * time.Minute)
		b.Market.Heal()
		b.Market.SetToken("another")
		time.Sleep(20 * time.Minute)
		b.Market.Inject(sandbox.Fault{Kind: sandbox.ServerError, Probability: 1, Status: 502})
		time.Sleep(20 * time.Minute)
		b.Market.Heal()
		b.Market.SetToken(sandbox.DefaultToken)
		time.Sleep(20 * time.Minute)
		b.Market.SetToken("another")
		time.Sleep(20 * time.Minute)
		stop()
		for _, line := range []struct {
			text      string
			got, want int
		}{
			{"HTTP 50", count("HTTP 50"), 1},
			{"token was refused", count("token was refused"), 2},
			{"another reason", count("another reason"), 1},
			{"marketplace is back", strings.Count(said.String(), "marketplace is back"), 1},
		} {
			if line.got != line.want {
				t.Errorf("%q is logged %d times, want %d:\n%s", line.text, line.got, line.want, said.String())
			}
		}
	})
}

// A shop whose credentials are refused is paused until its check passes, though nothing is there to
// be sent to it.
func TestAShopIsPausedUntilItsCheckPasses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		b.Shop.CheckErr = shopadapter.Block("the key was refused").Everywhere()
		c, stop := b.Start()
		defer stop()
		for i := range 60 {
			time.Sleep(time.Second)
			if got := harness.Metric(t, c, "shop_paused"); got != 1 {
				t.Fatalf("sample %d: shop_paused is %g, want 1", i, got)
			}
		}
		b.Shop.Lock()
		b.Shop.CheckErr = nil
		b.Shop.Unlock()
		time.Sleep(breaker.MaxPause)
		if s, err := harness.Status(c); err != nil || s.Shop.Paused {
			t.Errorf("the check passes, and yet status says %+v, %v, want no pause and no error", s.Shop, err)
		}
		if got := harness.Metric(t, c, "shop_paused"); got != 0 {
			t.Errorf("the check passes, and yet shop_paused is %g, want 0", got)
		}
	})
}

// The pause of a shop ends for those who look with the first check that passes, in a run that
// somebody asks for and by itself, though there is nothing to send that would succeed.
func TestAShopThatIsBackIsPausedNoLonger(t *testing.T) {
	t.Run("in a run", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := harness.New(t, sandbox.Options{})
			c, stop := b.Start()
			defer stop()
			time.Sleep(time.Second)
			check := func(err error, exit int, paused float64) {
				t.Helper()
				b.Shop.Lock()
				b.Shop.CheckErr = err
				b.Shop.Unlock()
				//nolint:errcheck // the summary tells it
				s, _ := c.RunOnce(
					t.Context(),
					desk.RunOptions{Patience: time.Second},
				)
				if got := harness.Metric(t, c, "shop_paused"); s.Exit != exit || got != paused {
					t.Errorf("exit %d, paused %g, want %d and %g", s.Exit, got, exit, paused)
				}
			}
			check(shopadapter.Block("the key was refused").Everywhere(), desk.ExitShop, 1)
			check(nil, desk.ExitOK, 0)
		})
	})
	t.Run("by itself", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := harness.New(t, sandbox.Options{})
			b.Shop.Refuse = func(harness.Call) error { return shopadapter.Retry("down for a moment").Everywhere() }
			b.Market.AddSound(1)
			c, stop := b.Start()
			defer stop()
			synctest.Wait() // the first try has failed, and the next one is ahead
			for range 20 {
				if harness.Metric(t, c, "shop_paused") == 1 {
					break
				}
				time.Sleep(50 * time.Millisecond)
			}
			b.Shop.Lock()
			b.Shop.Refuse = nil
			b.Shop.Unlock()
			if got := harness.Metric(t, c, "shop_paused"); got != 1 {
				t.Errorf("shop_paused is %g, want 1", got)
			}
			time.Sleep(breaker.MaxPause)
			if s, err := harness.Status(c); err != nil || s.Shop.Paused {
				t.Errorf("the check passes, and yet status says %+v, %v, want no pause and no error", s.Shop, err)
			}
		})
	})
}
