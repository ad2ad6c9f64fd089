package outbox_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
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

// refusing is a fault that refuses reports, of the publications given or of all.
func refusing(ids ...string) sandbox.Fault {
	return sandbox.Fault{Kind: sandbox.RefusedReport, Probability: 1, On: []sandbox.Kind{sandbox.KindReport}, IDs: ids}
}

// refusedAt is when the reports of a publication were refused, as times since the first.
func refusedAt(b *harness.Bench, id string) (at []time.Duration) {
	var first time.Time
	for _, r := range b.Market.Reports() {
		if r.ID == id && r.Refused != "" {
			if first.IsZero() {
				first = r.At
			}
			at = append(at, r.At.Sub(first))
		}
	}
	return at
}

// posted makes one request of a worker's admin listener.
func posted(c *connector.Connector, path string) (code int, text string) {
	req := httptest.NewRequest(http.MethodPost, "http://localhost"+path, nil)
	rec := httptest.NewRecorder()
	c.AdminHandler(true).ServeHTTP(rec, req)
	return rec.Code, rec.Body.String()
}

// A report that the marketplace refuses is made again until it is taken: by the same worker after a
// while, and by the next run.
func TestARefusedReportIsMadeAgain(t *testing.T) {
	once := sandbox.Fault{Kind: sandbox.RefusedReport, Next: 1, On: []sandbox.Kind{sandbox.KindReport}}
	taken := func(t *testing.T, b *harness.Bench, id string) {
		t.Helper()
		p, _ := b.Market.Publication(id)
		e, err := harness.Explain(b.Store, publication.Rules{}, id)
		if err != nil {
			t.Fatal(err)
		}
		if p.Status != "success" || p.ProductURL == "" {
			t.Errorf("the marketplace holds %q at %q, want success and an address", p.Status, p.ProductURL)
		}
		if e.Report.Status != "success" || e.Report.Owed != "" || e.Report.Error != "" {
			t.Errorf("explained as %+v, want success, with nothing owed and no error", e.Report)
		}
	}
	t.Run("by the worker", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := harness.New(t, sandbox.Options{Faults: []sandbox.Fault{once}})
			id := b.Market.AddSound(1)[0]
			_, stop := b.Start()
			defer stop()
			time.Sleep(5 * time.Second)
			if at := refusedAt(b, id); len(at) != 1 {
				t.Errorf("refused at %v, want once", at)
			}
			taken(t, b, id)
		})
	})
	t.Run("by the next run", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := harness.New(t, sandbox.Options{Faults: []sandbox.Fault{once}})
			id := b.Market.AddSound(1)[0]
			begun := time.Now()
			if s := b.Once(false); s.Exit != desk.ExitStanding || s.Refused != 1 || s.Error != "" ||
				b.State(id) != store.StateLive {
				t.Errorf(
					"the first run: %+v, it is %s, want Exit %d, Refused 1, no error and live",
					s,
					b.State(id),
					desk.ExitStanding,
				)
			}
			if took := time.Since(begun); took > 10*time.Second {
				t.Errorf("a run whose report is refused takes %s, want at most %v", took, 10*time.Second)
			}
			e, err := harness.Explain(b.Store, publication.Rules{}, id)
			if e.Report.Owed != "success" || e.Report.Refusals != 1 ||
				!strings.Contains(e.Report.Error, "cannot be changed") ||
				err != nil {
				t.Errorf(
					"explained as %+v, %v, want success owed after one refusal that says why, and no error",
					e.Report,
					err,
				)
			}
			if status, err := harness.StatusOf(b.Store); status.Refused != 1 || status.Outbox != 1 || err != nil {
				t.Errorf(
					"status says %d of %d are refused, %v, want Refused 1, Outbox 1 and no error",
					status.Refused,
					status.Outbox,
					err,
				)
			}
			if s := b.Once(false); s.Exit != desk.ExitOK || s.Refused != 0 || s.Reported != 1 {
				t.Errorf("the second run: got %+v, want Exit %v, Refused 0 and Reported 1", s, desk.ExitOK)
			}
			taken(t, b, id)
		})
	})
}

// While reports are refused each run makes each of them once, says how many stand, and does not
// wait for them.
func TestARunMakesEachRefusedReportOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		ids := b.Market.AddSound(30)
		b.Market.Inject(refusing(ids[:25]...))
		for run := 1; run <= 3; run++ {
			begun := time.Now()
			s := b.Once(run == 3)
			if s.Exit != desk.ExitStanding || s.Refused != 25 || s.Pending != 0 {
				t.Errorf("run %d: %+v, want Exit %d, Refused 25 and Pending 0", run, s, desk.ExitStanding)
			}
			if took := time.Since(begun); took > 30*time.Second {
				t.Errorf("run %d took %s, want at most 30s", run, took)
			}
			for _, id := range ids[:25] {
				// An enumeration may list it just after the run has made it, and has it made once
				// more.
				if at := refusedAt(b, id); len(at) != run && (run < 3 || len(at) != run+1) {
					t.Fatalf(
						"run %d: %s was refused at %v, want %d times (or once more in the third run)",
						run,
						id,
						at,
						run,
					)
				}
			}
		}
	})
}

// With every refusal a report waits longer, an hour at most.
func TestRefusedReportsBackOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		id := b.Market.AddSound(1)[0]
		b.Market.Inject(refusing())
		_, stop := b.Start()
		defer stop()
		time.Sleep(12 * time.Hour)
		at := refusedAt(b, id)
		for i := 1; i < len(at); i++ {
			least := publication.RefusalDelay(i)
			if gap := at[i] - at[i-1]; gap < least || gap > least+time.Minute {
				t.Errorf("refusal %d comes %s after the one before, want %s", i+1, gap, least)
			}
		}
		if len(at) < 20 || len(at) > 24 {
			t.Errorf("refused %d times in twelve hours, want 20 to 24 times", len(at))
		}
	})
}

// A report that waits is made at once when an enumeration shows that the marketplace still holds
// another status, when the worker is started again, when a person retries it or all that failed,
// and when somebody asks for a sweep. It is not when a sweep comes by schedule.
func TestRefusedReportsAreWoken(t *testing.T) {
	for _, tt := range []struct {
		name string
		wake func(t *testing.T, b *harness.Bench, c *connector.Connector, id string)
		want int // reports
	}{
		{"an enumeration", func(_ *testing.T, _ *harness.Bench, c *connector.Connector, _ string) { c.Sweep(true) }, 1},
		{"a sweep that somebody asks for", func(t *testing.T, _ *harness.Bench, c *connector.Connector, _ string) {
			if _, err := c.Desk().Sweep(t.Context(), false); err != nil {
				t.Fatal(err)
			}
		}, 1},
		{"a sweep by schedule", func(_ *testing.T, _ *harness.Bench, c *connector.Connector, _ string) { c.Sweep(false) }, 0},
		{"a retry", func(t *testing.T, _ *harness.Bench, c *connector.Connector, id string) {
			if code, text := posted(c, "/api/v1/publications/"+id+"/retry"); code != http.StatusNoContent {
				t.Errorf("answered %d %s, want %v", code, text, http.StatusNoContent)
			}
		}, 1},
		{"a retry of all that failed", func(t *testing.T, _ *harness.Bench, c *connector.Connector, _ string) {
			if code, text := posted(c, "/api/v1/retry-failed"); code != http.StatusOK || text != `{"count":1}`+"\n" {
				t.Errorf("answered %d %s, want %v and %v", code, text, http.StatusOK, `{"count":1}`+"\n")
			}
		}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := harness.New(t, sandbox.Options{})
				id := b.Market.AddSound(1)[0]
				b.Market.Inject(refusing())
				c, stop := b.Start()
				defer stop()
				time.Sleep(6 * time.Hour)
				before := refusedAt(b, id)
				last := before[len(before)-1]
				time.Sleep(time.Hour - (6*time.Hour - last) + 10*time.Minute) // not shortly before the next
				before = refusedAt(b, id)
				tt.wake(t, b, c, id)
				time.Sleep(5 * time.Second)
				if n := len(refusedAt(b, id)) - len(before); n != tt.want {
					t.Errorf("made %d times, want %d", n, tt.want)
				}
			})
		})
	}
	t.Run("a restart", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := harness.New(t, sandbox.Options{})
			id := b.Market.AddSound(1)[0]
			b.Market.Inject(refusing())
			_, stop := b.Start()
			time.Sleep(6 * time.Hour)
			stop()
			n := len(refusedAt(b, id))
			_, stop = b.Start()
			defer stop()
			time.Sleep(10 * time.Minute)
			if at := refusedAt(b, id); len(at) != n+1 {
				t.Errorf("%d reports in ten minutes after the restart, want 1: the wait is an hour still", len(at)-n)
			}
			b.Market.Heal()
			time.Sleep(time.Hour)
			if p, _ := b.Market.Publication(id); p.Status != "success" {
				t.Errorf("it is %q, want success", p.Status)
			}
		})
	})
}

// Thousands of reports that are refused cost a tenth of the points at most, and keep neither a new
// report nor a new publication waiting.
func TestRefusedReportsAreNoStorm(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 20})
		ids := b.Market.AddSound(160)
		b.Market.Inject(refusing(ids...))
		market := harness.Client(b.Market.Transport())
		b.Tune = func(o *connector.Options) { o.Marketplace = market }
		c, stop := b.Start()
		defer stop()
		time.Sleep(3 * time.Hour)
		if n := b.Backlog(time.Now()).Refused; n != len(ids) {
			t.Fatalf("%d of %d are refused, want %v", n, len(ids), len(ids))
		}
		spent, begun := market.Stats().Cost, time.Now()
		fresh := b.Market.AddSound(1)[0]
		c.Sweep(false)
		time.Sleep(10 * time.Second)
		if p, _ := b.Market.Publication(fresh); p.Status != "success" {
			t.Errorf("a new publication is %q after ten seconds, want success", p.Status)
		}
		time.Sleep(time.Hour)
		if rate := (market.Stats().Cost - spent) / time.Since(begun).Seconds(); rate > 2.4 {
			t.Errorf("%.1f points a second are spent, of 20, want at most 2.4", rate)
		}
		b.Market.Heal()
		c.Sweep(true) // which finds them
		time.Sleep(5 * time.Minute)
		for _, id := range ids {
			if p, _ := b.Market.Publication(id); p.Status != "success" {
				t.Fatalf(
					"%s is %q five minutes after an enumeration, though the marketplace takes reports again, want success",
					id,
					p.Status,
				)
			}
		}
	})
}

// A report that is refused gives way to the one that is true by now, which is made at once.
func TestAnotherReportTakesThePlaceOfARefusedOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		ids := b.Market.AddSound(3)
		b.Shop.Refuse = func(c harness.Call) error {
			if strings.HasPrefix(c.Product.Title, "Forbidden") {
				return shopadapter.Reject("such things are not sold here")
			}
			return nil
		}
		if err := b.Market.Update(ids[0],
			func(l *sandbox.Listing) { l.Texts = map[string]sandbox.Text{"en": {Title: "Forbidden"}} }); err != nil {
			t.Fatal(err)
		}
		b.Market.Inject(refusing(ids[0]))
		c, stop := b.Start()
		defer stop()
		time.Sleep(3 * time.Hour)
		if e, err := harness.Explain(b.Store, publication.Rules{}, ids[0]); e.Report.Owed != "failed" ||
			e.Report.Refusals < 10 ||
			err != nil {
			t.Fatalf("got %+v, %v, want failed owed after at least 10 refusals, and no error", e.Report, err)
		}
		b.Market.Heal()
		if err := b.Market.Update(ids[0],
			func(l *sandbox.Listing) { l.Texts = map[string]sandbox.Text{"en": {Title: "Allowed"}} }); err != nil {
			t.Fatal(err)
		}
		c.Sweep(false)
		time.Sleep(10 * time.Second)
		if p, _ := b.Market.Publication(ids[0]); p.Status != "success" {
			t.Errorf("it is %q, want success", p.Status)
		}
		if n := b.Backlog(time.Now()).Owed; n != 0 {
			t.Errorf("%d reports are owed, want 0", n)
		}
	})
}

// A report that an earlier version gave up on after one refusal is found by the next enumeration.
func TestAReportThatWasGivenUpOnIsMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		id := b.Market.AddSound(1)[0]
		b.Market.Inject(refusing())
		b.Once(false)
		b.Market.Heal()
		if _, err := store.Update(b.T.Context(), b.Store, giveUp, id); err != nil {
			t.Fatal(err)
		}
		if s := b.Once(true); s.Exit != desk.ExitOK || s.Reported != 1 {
			t.Errorf("got %+v, want Exit %v and Reported 1", s, desk.ExitOK)
		}
	})
}

// giveUp leaves a record as versions did that made no refused report again.
func giveUp(_ *store.Report, s *store.Settlement) bool {
	s.Cancel = true
	return true
}
