package listener

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/store"
)

// TestRefusedDeliveries holds what is told of a registration that is failing: the refusals in a row
// of requests that look like the marketplace's.
func TestRefusedDeliveries(t *testing.T) {
	const event = "PUBLICATION_CREATED"
	good, forged := delivery{
		"POST",
		"/webhooks",
		hookBody,
		"secret",
		event,
	}, delivery{
		"POST",
		"/webhooks",
		hookBody,
		"guess",
		event,
	}
	bare := delivery{"POST", "/webhooks", hookBody, "", event}
	hint, lost := delivery{
		"POST",
		"/webhooks/path-token",
		hookBody,
		"",
		event,
	}, delivery{
		"POST",
		"/webhooks/old-token",
		hookBody,
		"",
		event,
	}
	for _, tt := range []struct {
		name string
		sent []delivery
		row  int
		why  string
	}{
		{"none", nil, 0, ""},
		{"acknowledged", []delivery{good, hint}, 0, ""},
		{"another secret", []delivery{good, forged, forged, forged}, 3, "signature"},
		{"and then acknowledged", []delivery{forged, forged, good}, 0, ""},
		{"another path token", []delivery{lost, lost}, 2, "not_found"},
		{"the other way in says nothing of this one", []delivery{forged, forged, lost, hint}, 2, "signature"},
		{"the worse of two", []delivery{lost, forged, lost}, 2, "not_found"},
		{"not signed", []delivery{bare, bare}, 2, "unsigned"},
		{"beside signed ones", []delivery{bare, good, bare, good}, 2, "unsigned"},
		{"until the path token is used", []delivery{bare, bare, hint}, 0, ""},
		{"not signed, and known by the body alone", []delivery{{"POST", "/webhooks", hookBody, "", ""}}, 1, "unsigned"},
		{
			"not signed, and of no known shape",
			[]delivery{{"POST", "/webhooks", `{"a":1}`, "", ""}, {"POST", "/webhooks", "", "", ""}},
			0, "",
		},
		{
			"not the marketplace's",
			[]delivery{{"POST", "/webhooks", hookBody, "guess", ""}, {"GET", "/webhooks", "", "", event}},
			0, "",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rc, start := newReceiver(), time.Now()
				for _, d := range tt.sent {
					rc.deliver(d.request())
					time.Sleep(time.Minute)
				}
				got := rc.Refusals.Worst()
				switch {
				case tt.row == 0 && got != nil, tt.row > 0 && got == nil:
					t.Errorf("refused: %+v, want %d", got, tt.row)
				case got != nil &&
					(got.InARow != tt.row || got.Why != tt.why || got.Since.Before(start) || got.Last.Before(got.Since)):
					t.Errorf("refused: %+v, want %d for %s", *got, tt.row, tt.why)
				}
			})
		})
	}
}

// An answer that comes after the five seconds for which the marketplace waits is none.
func TestAnAnswerThatComesTooLateIsARefusal(t *testing.T) {
	for pause, want := range map[time.Duration]int{4 * time.Second: 0, 6 * time.Second: 1} {
		synctest.Test(t, func(t *testing.T) {
			rc := newReceiver()
			rc.Inbox = slowInbox{rc.inbox, pause}
			d := delivery{"POST", "/webhooks", hookBody, "secret", "PUBLICATION_CREATED"}
			if w := rc.deliver(d.request()); w.Code != http.StatusNoContent {
				t.Errorf("got %d, want 204", w.Code)
			}
			if got := rc.Refusals.Worst(); (got != nil) != (want == 1) {
				t.Errorf("after %s: got %+v, want %d refused", pause, got, want)
			}
		})
	}
	rc := newReceiver()
	rc.Inbox = fullInbox{rc.inbox}
	rc.deliver(delivery{"POST", "/webhooks", hookBody, "secret", "PUBLICATION_CREATED"}.request())
	if got := rc.Refusals.Worst(); got == nil || got.Why != "store" {
		t.Errorf("a full store: got %+v, want one refused because of the store", got)
	}
}

type slowInbox struct {
	*inbox
	pause time.Duration
}

func (i slowInbox) Mark(ctx context.Context, marks ...store.Mark) error {
	time.Sleep(i.pause)
	return i.inbox.Mark(ctx, marks...)
}

type fullInbox struct{ *inbox }

func (fullInbox) Mark(context.Context, ...store.Mark) error {
	return errors.New("no space left on device")
}

// An acknowledged delivery ends a row, a new registration does, and two days without a refusal.
func TestTheEndOfARowOfRefusals(t *testing.T) {
	const event = "PUBLICATION_CREATED"
	good := delivery{"POST", "/webhooks", hookBody, "secret", event}
	forged := delivery{"POST", "/webhooks", hookBody, "guess", event}
	synctest.Test(t, func(t *testing.T) {
		rc := newReceiver()
		expect := func(when string, want int) {
			t.Helper()
			got := rc.Refusals.Worst()
			if (got != nil) != (want > 0) || got != nil && (got.InARow != want || got.Why != "signature") {
				t.Errorf("%s: got %+v, want %d", when, got, want)
			}
		}
		for range 4 {
			rc.deliver(forged.request())
			time.Sleep(time.Hour)
		}
		expect("four within hours", 4)
		time.Sleep(46 * time.Hour)
		expect("47 hours after the last", 4)
		time.Sleep(time.Hour)
		expect("two days after the last", 0)
		rc.deliver(forged.request())
		expect("the next one", 1)
		rc.deliver(good.request())
		expect("acknowledged", 0)
		rc.deliver(forged.request())
		rc.Refusals.Registered("/hooks/webhooks/token")
		expect("the other address is registered anew", 1)
		rc.Refusals.Registered("/hooks/webhooks")
		expect("its own", 0)
	})
}

// A row of refusals is told of in the log, now and then.
func TestARowOfRefusalsIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		rc := newReceiver(func(o *Options) {
			o.Refusals = NewRefusals(slog.New(slog.NewTextHandler(&log, nil)))
		})
		for n := range 12 {
			rc.deliver(delivery{"POST", "/webhooks", hookBody, "guess", "PUBLICATION_CREATED"}.request())
			time.Sleep(2 * time.Hour)
			if got, want := strings.Count(log.String(), "webhooks are refused"), (n+1)/5; got != want {
				t.Errorf("after %d: told %d times, want %d", n+1, got, want)
			}
		}
		if !strings.Contains(log.String(), "in_a_row=10 allowed=19") {
			t.Errorf("got the log\n%s\nwant in_a_row=10 allowed=19 in it", &log)
		}
	})
}
