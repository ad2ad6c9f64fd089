package outbox_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// A token that may read and not report pauses nothing: products go on sale and follow their
// changes, and every report stays owed, counted, with its reason in explain and status. The first
// report that is taken brings all others.
func TestReportsThatAreDenied(t *testing.T) {
	for name, fault := range map[string]sandbox.Fault{
		"an error on the mutation": {}, "HTTP 401": {Status: http.StatusUnauthorized},
		"HTTP 403":          {Status: http.StatusForbidden},
		"an error in a 200": {Status: http.StatusOK},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := harness.New(t, sandbox.Options{RestoreRate: 2000})
				ids := b.Market.AddSound(30)
				fault.Kind, fault.Probability, fault.On = sandbox.DeniedReport, 1, []sandbox.Kind{sandbox.KindReport}
				b.Market.Inject(fault)
				s := b.Once(false)
				if s.Exit != desk.ExitStanding {
					t.Fatalf("got exit %d, want %d: %+v", s.Exit, desk.ExitStanding, s)
				}
				if s.Created != 30 || s.Refused != 30 || s.Pending != 0 || s.Reported != 0 {
					t.Fatalf("got %+v, want Created 30, Refused 30, Pending 0 and Reported 0", s)
				}
				if s.Seconds > 60 {
					t.Fatalf("the run took %.0f s, want at most 60", s.Seconds)
				}
				b.Reprice(ids[:2])
				if s := b.Once(false); s.Updated != 2 || s.Refused != 30 {
					t.Errorf("a change: got %+v, want Updated 2 and Refused 30", s)
				}
				if r := b.Record(ids[0]); r.State != store.StateLive ||
					!strings.Contains(r.ReportError, marketplace.ReportsDenied) {
					t.Errorf(
						"%s, %q, want %s and %q",
						r.State,
						r.ReportError,
						store.StateLive,
						marketplace.ReportsDenied,
					)
				}
				status := told(b)
				if status.Denied != marketplace.ReportsDenied || status.Marketplace.Paused || status.Outbox != 30 ||
					status.Refused != 30 {
					t.Errorf(
						"status: denied %q, paused %t, %d owed, %d refused, want %q, false, 30 and 30",
						status.Denied,
						status.Marketplace.Paused,
						status.Outbox,
						status.Refused,
						marketplace.ReportsDenied,
					)
				}
				b.Market.Heal()
				if s := b.Once(false); s.Exit != desk.ExitOK || s.Reported != 30 || told(b).Denied != "" {
					t.Errorf(
						"once it may: %+v, denied %q, want Exit %d, Reported 30 and none",
						s,
						told(b).Denied,
						desk.ExitOK,
					)
				}
			})
		})
	}
}

// A worker whose reports are denied goes on reading, asks ever more seldom, and needs no restart
// once it may report. A token that is refused for readings too pauses all.
func TestAWorkerWhoseReportsAreDenied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		ids := b.Market.AddSound(30)
		b.Market.Inject(
			sandbox.Fault{Kind: sandbox.DeniedReport, Probability: 1, On: []sandbox.Kind{sandbox.KindReport}},
		)
		c, stop := b.Start()
		defer stop()
		time.Sleep(3 * time.Hour)
		if s, err := harness.Status(c); err != nil || s.Marketplace.Paused {
			t.Fatalf("paused %t: %s, %v, want false and no error", s.Marketplace.Paused, s.Marketplace.Reason, err)
		}
		before := b.Market.Requests()
		time.Sleep(3 * time.Hour)
		asked := 0
		for _, r := range b.Market.Requests()[len(before):] {
			if r.Kind == sandbox.KindReport {
				asked++
			}
		}
		if asked == 0 || asked > 90 {
			t.Errorf("%d requests with reports in three hours, want 1 to 90", asked)
		}
		b.Market.RevokeToken()
		time.Sleep(10 * time.Minute)
		if s, err := harness.Status(c); err != nil || !s.Marketplace.Paused {
			t.Errorf("a refused token: paused %t, %v, want true and no error", s.Marketplace.Paused, err)
		}
		b.Market.SetToken(sandbox.DefaultToken)
		b.Market.Heal()
		time.Sleep(2 * time.Hour)
		for _, id := range ids {
			if b.Status(id) != "success" {
				t.Errorf("%s is reported %s, want success", id, b.Status(id))
			}
		}
	})
}

// told is what status tells of the store.
func told(b *harness.Bench) desk.Status {
	b.T.Helper()
	s, err := connector.NewDesk(b.Store, publication.Rules{}, nil).Status(b.T.Context())
	if err != nil {
		b.T.Fatal(err)
	}
	return s
}
