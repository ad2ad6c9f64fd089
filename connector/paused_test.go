package connector

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter"
)

// metric reads one gauge as a scraper would.
func metric(t *testing.T, c *Connector, name string) float64 {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	r.Host = "127.0.0.1"
	c.AdminHandler(true).ServeHTTP(w, r)
	m := regexp.MustCompile(`(?m)^pubsync_` + name + ` (\S+)$`).FindStringSubmatch(w.Body.String())
	if m == nil {
		t.Fatalf("no pubsync_%s in %d: %s", name, w.Code, w.Body.String())
	}
	value, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// While the token is refused each sample says so, between two tries too, and a sweep that failed is
// no sweep.
func TestPausedIsPaused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{})
		b.box.AddSound(2)
		b.box.SetToken("another")
		b.tune = func(o *Options) {
			o.Sweep, o.Resync, o.Webhook.URL = cron.Every(30*time.Second), cron.Every(time.Minute), hookAddress
		}
		begun := time.Now()
		c, stop := b.work()
		defer stop()
		for i := range 122 {
			time.Sleep(time.Second)
			if metric(t, c, "marketplace_paused") != 1 {
				t.Fatalf("sample %d: not paused", i)
			}
			s, err := c.Status()
			if err != nil {
				t.Fatal(err)
			}
			m := s.Marketplace
			if !m.Paused || !strings.Contains(m.Reason, "token was refused") || m.Since == nil ||
				m.Since.Sub(begun) > time.Second {
				t.Fatalf("sample %d: status says %+v", i, m)
			}
		}
		if at := metric(t, c, "last_sweep_timestamp_seconds"); at != 0 {
			t.Errorf("a sweep that failed counts as one at %f", at)
		}
		if at := metric(t, c, "last_sweep_attempt_timestamp_seconds"); at < float64(
			begun.Add(time.Second).UnixMilli(),
		)/1000 {
			t.Errorf("the last attempt is said to be of %f", at)
		}
		b.box.SetToken(sandbox.DefaultToken)
		time.Sleep(breaker.MaxBackoff + breaker.MaxPause)
		at := metric(t, c, "last_sweep_timestamp_seconds")
		if metric(t, c, "marketplace_paused") != 0 || at == 0 {
			t.Errorf("the token is good again, and yet it is paused, or the last sweep is of %f", at)
		}
		if s, err := c.Status(); err != nil || s.Marketplace.Paused || s.Marketplace.Since != nil ||
			s.Marketplace.Reason != "" {
			t.Errorf("status says %+v, %v", s.Marketplace, err)
		}
		b.box.SetToken("another")
		refused := time.Now()
		time.Sleep(10 * time.Minute)
		if now := metric(t, c, "last_sweep_timestamp_seconds"); now < at || now > float64(refused.UnixMilli())/1000 {
			t.Errorf("the last sweep moved from %f to %f though each since was refused", at, now)
		}
	})
}

// A pause is logged once, and once more for each other reason that it comes to have.
func TestAPauseIsLoggedAgainForAnotherReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(
			t,
			sandbox.Options{Faults: []sandbox.Fault{{Kind: sandbox.ServerError, Probability: 1, Status: 503}}},
		)
		b.box.AddSound(2)
		var said bytes.Buffer
		b.tune = func(o *Options) {
			o.Sweep, o.Webhook.URL = cron.Every(time.Minute), hookAddress
			o.Logger = slog.New(slog.NewTextHandler(&said, nil))
		}
		_, stop := b.work()
		count := func(word string) (n int) {
			for line := range strings.SplitSeq(said.String(), "\n") {
				if strings.Contains(line, "marketplace cannot be used") && strings.Contains(line, word) {
					n++
				}
			}
			return n
		}
		time.Sleep(20 * time.Minute)
		b.box.Heal()
		b.box.SetToken("another")
		time.Sleep(20 * time.Minute)
		b.box.Inject(sandbox.Fault{Kind: sandbox.ServerError, Probability: 1, Status: 502})
		time.Sleep(20 * time.Minute)
		b.box.Heal()
		b.box.SetToken(sandbox.DefaultToken)
		time.Sleep(20 * time.Minute)
		b.box.SetToken("another")
		time.Sleep(20 * time.Minute)
		stop()
		if count("HTTP 50") != 1 || count("token was refused") != 2 || count("another reason") != 1 ||
			strings.Count(said.String(), "marketplace is back") != 1 {
			t.Errorf("the log:\n%s", said.String())
		}
	})
}

// A shop whose credentials are refused is paused until its check passes, though nothing is there to
// be sent to it.
func TestAShopIsPausedUntilItsCheckPasses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{})
		b.shop.check = shopadapter.Block("the key was refused").Everywhere()
		c, stop := b.work()
		defer stop()
		for i := range 60 {
			time.Sleep(time.Second)
			if metric(t, c, "shop_paused") != 1 {
				t.Fatalf("sample %d: not paused", i)
			}
		}
		b.shop.Lock()
		b.shop.check = nil
		b.shop.Unlock()
		time.Sleep(breaker.MaxPause)
		if s, err := c.Status(); err != nil || s.Shop.Paused || metric(t, c, "shop_paused") != 0 {
			t.Errorf("the check passes, and yet status says %+v, %v", s.Shop, err)
		}
	})
}

// The pause of a shop ends for those who look with the first check that passes, in a run that
// somebody asks for and by itself, though there is nothing to send that would succeed.
func TestAShopThatIsBackIsPausedNoLonger(t *testing.T) {
	t.Run("in a run", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, sandbox.Options{})
			c, stop := b.work()
			defer stop()
			time.Sleep(time.Second)
			check := func(err error, exit int, paused float64) {
				t.Helper()
				b.shop.Lock()
				b.shop.check = err
				b.shop.Unlock()
				//nolint:errcheck // the summary tells it
				s, _ := c.RunOnce(
					t.Context(),
					desk.RunOptions{Patience: time.Second},
				)
				if got := metric(t, c, "shop_paused"); s.Exit != exit || got != paused {
					t.Errorf("exit %d, paused %g, want %d and %g", s.Exit, got, exit, paused)
				}
			}
			check(shopadapter.Block("the key was refused").Everywhere(), desk.ExitShop, 1)
			check(nil, desk.ExitOK, 0)
		})
	})
	t.Run("by itself", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, sandbox.Options{})
			b.shop.refuse = func(call) error { return shopadapter.Retry("down for a moment").Everywhere() }
			b.box.AddSound(1)
			c, stop := b.work()
			defer stop()
			time.Sleep(time.Second)
			b.shop.Lock()
			b.shop.refuse = nil
			b.shop.Unlock()
			if metric(t, c, "shop_paused") != 1 {
				t.Error("it is not paused")
			}
			time.Sleep(breaker.MaxPause)
			if s, err := c.Status(); err != nil || s.Shop.Paused {
				t.Errorf("the check passes, and yet status says %+v, %v", s.Shop, err)
			}
		})
	})
}

// A pause that the other side asked for stands in the status of a store without a worker, with its
// reason and since when.
func TestAPauseStandsInTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{})
		var since time.Time
		b.shop.refuse = func(call) error {
			if since.IsZero() {
				since = time.Now()
			}
			return shopadapter.Retry("closed for a while").Everywhere().After(10 * time.Minute)
		}
		b.box.AddSound(1)
		_, stop := b.work()
		time.Sleep(time.Minute)
		stop()
		s, err := StatusOf(b.store)
		if err != nil || !s.Shop.Paused || !strings.Contains(s.Shop.Reason, "closed for a while") ||
			s.Shop.Since == nil ||
			!s.Shop.Since.Equal(since) {
			t.Fatalf("%+v, %v", s.Shop, err)
		}
		again, stop := b.work()
		defer stop()
		time.Sleep(time.Second)
		if got, err := again.Status(); err != nil || got.Shop.Since == nil || !got.Shop.Since.Equal(since) {
			t.Errorf("after a restart %+v, %v, want it since %s", got.Shop, err, since)
		}
		b.shop.Lock()
		b.shop.refuse = nil
		b.shop.Unlock()
		time.Sleep(10 * time.Minute)
		if s, err := StatusOf(b.store); err != nil || s.Shop.Paused {
			t.Errorf("when it is over: %+v, %v", s.Shop, err)
		}
	})
}
