package sweep_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// hourly has enumerations made by the schedule that is the default.
func hourly(t *testing.T, o *connector.Options) {
	t.Helper()
	schedule, err := cron.ParseStandard("17 * * * *")
	if err != nil {
		t.Fatal(err)
	}
	o.Resync, o.RefreshAfter = schedule, 1000*time.Hour
}

// listPages counts the pages of the list that were asked for.
func listPages(b *harness.Bench) (n int) {
	for _, r := range b.Market.Requests() {
		if r.Kind == sandbox.KindList {
			n++
		}
	}
	return n
}

// Runs by cron alone, each ten minutes, enumerate the list once an hour: a removal and a lost
// report are found within the hour, the plan before that run says so, no content is read for it,
// and the runs between cost next to nothing. The first full list counts as an enumeration.
func TestRunsByCronEnumerateOnceAnHour(t *testing.T) {
	for _, tt := range []struct {
		name string
		box  sandbox.Options
	}{
		{name: "sorted"},
		{name: "not sorted", box: sandbox.Options{NoUpdatedAtSort: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := harness.New(t, tt.box)
				b.Tune = func(o *connector.Options) {
					hourly(t, o)
					o.Variants = publication.VariantsAuto
				}
				ids := b.Market.AddSound(6)
				if s := b.Once(false); s.Exit != desk.ExitOK || s.Created != 6 {
					t.Fatalf("first run: got %+v, want Exit %v and Created 6", s, desk.ExitOK)
				}
				b.Once(false)
				b.Market.Remove(ids[0])
				if err := b.Market.SetStatus(ids[1], "syncing"); err != nil {
					t.Fatal(err)
				}
				b.Market.Forget()
				for begun, found := time.Now(), 0; time.Since(begun) < 3*time.Hour; time.Sleep(10*time.Minute - time.Second) {
					plan, err := b.Connector().Planner(time.Minute).Plan(t.Context(), false)
					if err != nil {
						t.Fatal(err)
					}
					s := b.Once(false)
					if s.Exit != desk.ExitOK {
						t.Fatalf("after %s: exit %d, want %d: %+v", time.Since(begun), s.Exit, desk.ExitOK, s)
					}
					if len(plan.Withdraw) != int(s.Withdrawn) {
						t.Fatalf(
							"after %s: withdrawn %d, want as planned %v",
							time.Since(begun),
							s.Withdrawn,
							plan.Withdraw,
						)
					}
					if found += int(s.Withdrawn); found == 0 && time.Since(begun) > time.Hour {
						t.Fatalf("after %s the removal has not been found, want it within an hour", time.Since(begun))
					}
					enumerated := s.Withdrawn > 0 || s.Swept > 0 || s.Reported > 0
					if !enumerated && (s.Requests > 3 || s.Cost > 8) {
						t.Errorf(
							"an idle run after %s: %+v, want Requests at most 3 and Cost at most 8",
							time.Since(begun),
							s,
						)
					}
				}
				if b.State(ids[0]) != store.StateWithdrawn || b.State(ids[1]) != store.StateLive {
					t.Errorf(
						"the removed one is %s, the other %s, want state %v and state %v",
						b.State(ids[0]),
						b.State(ids[1]),
						store.StateWithdrawn,
						store.StateLive,
					)
				}
				if p, _ := b.Market.Publication(ids[1]); p.Status != "success" {
					t.Errorf("the lost report is %q, want success", p.Status)
				}
				whole := 0
				for _, r := range b.Market.Requests() {
					if len(r.Content) > 0 && r.Content[0] != ids[0] && r.Content[0] != ids[1] {
						t.Errorf("the content of %v was read, want %v alone", r.Content, ids[:2])
					}
					if r.Operation == "List" {
						whole++
					}
				}
				if !tt.box.NoUpdatedAtSort && whole > 2*(3+1) { // and as many were planned
					t.Errorf("%d pages were listed in three hours, want at most %d", whole, 2*(3+1))
				}
			})
		})
	}
}

// An enumeration that the patience cuts off is no fault: the next run goes on where it stopped, and
// finds the removal. One that shows no page is.
func TestARunThatIsCutOffGoesOnWithItsEnumeration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		f := b.Forge()
		forged := b.Tune
		b.Tune = func(o *connector.Options) {
			forged(o)
			hourly(t, o)
		}
		ids := b.Market.AddSound(500)
		b.Once(false)
		b.Once(false)
		time.Sleep(2 * time.Hour)
		b.Market.Remove(ids[250])
		once := func() (desk.Summary, time.Duration) {
			t.Helper()
			time.Sleep(time.Second)
			begun := time.Now()
			s, _ := b.Connector().
				Once(t.Context(), desk.RunOptions{Patience: 30 * time.Second})
				//nolint:errcheck // the summary tells
			return s, time.Since(begun)
		}
		b.Market.Forget()
		b.Market.Inject(
			sandbox.Fault{
				Kind:        sandbox.Slow,
				Delay:       12 * time.Second,
				Probability: 1,
				On:          []sandbox.Kind{sandbox.KindList},
			},
		)
		s, took := once()
		if took > time.Minute {
			t.Errorf("the run that is cut off took %s, want at most 1m", took)
		}
		if s.Exit != desk.ExitOK || s.Swept == 0 || s.Swept >= 499 || s.Withdrawn != 0 {
			t.Errorf("the run that is cut off: %+v, want Exit %d, Swept 1 to 498 and Withdrawn 0", s, desk.ExitOK)
		}
		b.Market.Heal()
		first := listPages(b)
		s, _ = once()
		if s.Exit != desk.ExitOK || s.Withdrawn != 1 || b.State(ids[250]) != store.StateWithdrawn {
			t.Errorf(
				"the next run: got %+v, what was removed is %s, want Exit %v, Withdrawn 1 and state %v",
				s,
				b.State(ids[250]),
				desk.ExitOK,
				store.StateWithdrawn,
			)
		}
		if s.Swept > 400 {
			t.Errorf(
				"%d entries were listed after %d pages before: it did not go on where it stopped, want at most 400",
				s.Swept,
				first,
			)
		}

		time.Sleep(2 * time.Hour)
		id := b.Market.AddSound(1)[0]
		f.Answer = func(operation, body string) string {
			if operation == "List" && strings.Contains(body, "ID_DESC") {
				return `{"errors":[{"message":"Internal error"}]}`
			}
			return ""
		}
		s, took = once()
		if took > time.Minute {
			t.Errorf("where no page is shown the run took %s, want at most 1m", took)
		}
		if s.Exit != desk.ExitMarketplace || s.Created != 1 {
			t.Errorf("where no page is shown: %+v, want Exit %d and Created 1", s, desk.ExitMarketplace)
		}
		if got := b.State(id); got != store.StateLive {
			t.Errorf("where no page is shown it is %s, want %s", got, store.StateLive)
		}
		f.Do(func() { f.Answer = nil })
		if s, _ = once(); s.Exit != desk.ExitOK || s.Swept != 500 {
			t.Errorf("once it is healed: got %+v, want Exit %v and Swept 500", s, desk.ExitOK)
		}
	})
}

// What was taken over from the shop may be gone from the list: the first list is not believed to
// have shown all of it.
func TestWhatWasTakenOverIsEnumeratedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		b.Lists = true
		b.Tune = func(o *connector.Options) { hourly(t, o) }
		ids := b.Market.AddSound(6)
		b.Once(false)
		b.Market.Remove(ids[0])
		b.Lose()
		// else all is taken over in the instant of the list
		b.Market.Inject(sandbox.Fault{Kind: sandbox.Slow, Delay: 20 * time.Millisecond, Probability: 1})
		if s := b.Once(false); s.Exit != desk.ExitOK || s.Withdrawn != 1 || b.State(ids[0]) != store.StateWithdrawn {
			t.Errorf(
				"got %+v, what was removed is %s, want Exit %v, Withdrawn 1 and state %v",
				s,
				b.State(ids[0]),
				desk.ExitOK,
				store.StateWithdrawn,
			)
		}
	})
}
