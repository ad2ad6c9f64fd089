package connector

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
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
		"an error on the mutation": {}, "HTTP 401": {Status: http.StatusUnauthorized}, "HTTP 403": {Status: http.StatusForbidden},
		"an error in a 200": {Status: http.StatusOK},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, sandbox.Options{RestoreRate: 2000})
				ids := b.box.AddSound(30)
				fault.Kind, fault.Probability, fault.On = sandbox.DeniedReport, 1, []sandbox.Kind{sandbox.KindReport}
				b.box.Inject(fault)
				s := b.once(false)
				if s.Exit != desk.ExitStanding || s.Created != 30 || s.Refused != 30 || s.Pending != 0 ||
					s.Reported != 0 ||
					s.Seconds > 60 {
					t.Fatalf("%+v", s)
				}
				b.reprice(ids[:2])
				if s := b.once(false); s.Updated != 2 || s.Refused != 30 {
					t.Errorf("a change: %+v", s)
				}
				if r := b.record(ids[0]); r.State != store.StateLive ||
					!strings.Contains(r.ReportError, marketplace.ReportsDenied) {
					t.Errorf("%s, %q", r.State, r.ReportError)
				}
				status := b.told()
				if status.Denied != marketplace.ReportsDenied || status.Marketplace.Paused || status.Outbox != 30 ||
					status.Refused != 30 {
					t.Errorf(
						"status: denied %q, paused %t, %d owed, %d refused",
						status.Denied,
						status.Marketplace.Paused,
						status.Outbox,
						status.Refused,
					)
				}
				b.box.Heal()
				if s := b.once(false); s.Exit != desk.ExitOK || s.Reported != 30 || b.told().Denied != "" {
					t.Errorf("once it may: %+v, denied %q", s, b.told().Denied)
				}
			})
		})
	}
}

// A worker whose reports are denied goes on reading, asks ever more seldom, and needs no restart
// once it may report. A token that is refused for readings too pauses all.
func TestAWorkerWhoseReportsAreDenied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{RestoreRate: 2000})
		ids := b.box.AddSound(30)
		b.box.Inject(sandbox.Fault{Kind: sandbox.DeniedReport, Probability: 1, On: []sandbox.Kind{sandbox.KindReport}})
		c, stop := b.run()
		defer stop()
		time.Sleep(3 * time.Hour)
		if s, err := c.Status(); err != nil || s.Marketplace.Paused {
			t.Fatalf("paused: %s, %v", s.Marketplace.Reason, err)
		}
		before := b.box.Requests()
		time.Sleep(3 * time.Hour)
		asked := 0
		for _, r := range b.box.Requests()[len(before):] {
			if r.Kind == sandbox.KindReport {
				asked++
			}
		}
		if asked == 0 || asked > 30 {
			t.Errorf("%d requests with reports in three hours", asked)
		}
		b.box.RevokeToken()
		time.Sleep(10 * time.Minute)
		if s, err := c.Status(); err != nil || !s.Marketplace.Paused {
			t.Error("a token that is refused does not pause the marketplace")
		}
		b.box.SetToken(sandbox.DefaultToken)
		b.box.Heal()
		time.Sleep(2 * time.Hour)
		for _, id := range ids {
			if b.status(id) != "success" {
				t.Errorf("%s is reported %s", id, b.status(id))
			}
		}
	})
}

// told is what status tells of the store.
func (b *bench) told() desk.Status {
	b.t.Helper()
	s, err := NewDesk(b.store, publication.Rules{}, nil).Status(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}
