package sweep_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/sweep"
)

// sweepTimes is when a worker listed between two moments, and when its status had said that it
// would.
func sweepTimes(b *harness.Bench, c *connector.Connector, span time.Duration) (listed, promised []time.Time) {
	from := time.Now()
	for end := from.Add(span); time.Now().Before(end); time.Sleep(time.Second) {
		if s, err := harness.Status(c); err == nil && s.Sweeps.Next != nil &&
			!slices.ContainsFunc(promised, s.Sweeps.Next.Equal) {
			promised = append(promised, *s.Sweeps.Next)
		}
	}
	for _, r := range b.Market.Requests() {
		if r.Kind == sandbox.KindList && r.At.After(from) {
			listed = append(listed, r.At)
		}
	}
	return listed, promised
}

// Sweeps come at the account's own offset, which is the same after a restart and from the moment at
// which the account is known; status tells the true time.
func TestSweepsComeAtTheAccountsOwnOffset(t *testing.T) {
	offsets := map[string]time.Duration{}
	for _, account := range []string{"acme", "beta"} {
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(time.Until(time.Now().Truncate(time.Hour).Add(time.Hour)) + 90*time.Second)
			b := harness.New(t, sandbox.Options{Account: account})
			b.Tune = func(o *connector.Options) { o.Sweep, o.Install = harness.Cron(t, "*/5 * * * *"), "an-install" }
			for start := range 2 {
				c, stop := b.Start()
				time.Sleep(10 * time.Second) // it sweeps at its start
				listed, promised := sweepTimes(b, c, 31*time.Minute)
				stop()
				if len(listed) < 6 || len(promised) < 6 {
					t.Fatalf("listed at %v, promised %v, want at least 6 of each", listed, promised)
				}
				want := sweep.Offset(account, 5*time.Minute)
				for i, at := range listed {
					by := at.Sub(at.Truncate(5 * time.Minute))
					if by < want || by > want+time.Second || at.Sub(promised[i]).Abs() > time.Second {
						t.Errorf(
							"%s, start %d: listed %s after the schedule, promised at %s, want %s after it",
							account,
							start,
							by,
							promised[i],
							want,
						)
					}
				}
				offsets[account] = want
				time.Sleep(97 * time.Second)
			}
		})
	}
	if offsets["acme"] == offsets["beta"] {
		t.Errorf("two accounts sweep at one moment: %v, want two", offsets)
	}
}

// While the account is not known, the token being refused say, the installation stands for it: the
// sweeps of all do not meet then either.
func TestAnInstallationHasAnOffsetBeforeItsAccountIsKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{Account: "acme"})
		b.Tune = func(o *connector.Options) {
			o.Sweep, o.Resync, o.Install = harness.Cron(t, "*/5 * * * *"), harness.Cron(t, "17 * * * *"), "an-install"
		}
		b.Market.RevokeToken()
		c, stop := b.Start()
		defer stop()
		time.Sleep(time.Second)
		s, err := harness.Status(c)
		if err != nil || s.Sweeps.Next == nil || s.Sweeps.NextFull == nil {
			t.Fatalf("got %+v, %v, want the times of both next sweeps and no error", s.Sweeps, err)
		}
		if by, want := s.Sweeps.Next.Sub(s.Sweeps.Next.Truncate(5*time.Minute)),
			sweep.Offset("an-install", 5*time.Minute); by != want {
			t.Errorf("the next sweep is %s after the schedule, want %s", by, want)
		}
		if by, want := s.Sweeps.NextFull.Sub(s.Sweeps.NextFull.Truncate(time.Minute)),
			sweep.Offset("an-install", time.Hour); by != want {
			t.Errorf("the next enumeration is %s after the schedule, want %s", by, want)
		}
		b.Market.SetToken(sandbox.DefaultToken)
		c.Desk().Sweep(b.T.Context(), false)
		time.Sleep(2 * time.Minute)
		s, _ = harness.Status(c)
		offset, want := s.Sweeps.Next.Sub(s.Sweeps.Next.Truncate(5*time.Minute)), sweep.Offset("acme", 5*time.Minute)
		if offset != want {
			t.Errorf("once the account is known the next sweep has the offset %s, want %s", offset, want)
		}
	})
}
