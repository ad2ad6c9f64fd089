package listener

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/store"
)

// TestRefusedDeliveries holds what is told of a registration that is failing: the refusals in a row of requests that look like the marketplace's.
func TestRefusedDeliveries(t *testing.T) {
	const event = "PUBLICATION_CREATED"
	good, forged := delivery{"POST", "/webhooks", hookBody, "secret", event}, delivery{"POST", "/webhooks", hookBody, "guess", event}
	hint, lost := delivery{"POST", "/webhooks/path-token", hookBody, "", event}, delivery{"POST", "/webhooks/old-token", hookBody, "", event}
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
		{"not the marketplace's", []delivery{{"POST", "/webhooks", hookBody, "guess", ""}, {"GET", "/webhooks", "", "", event}}, 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rc, start := newReceiver(), time.Now()
				for _, d := range tt.sent {
					rc.deliver(d.request())
					time.Sleep(time.Minute)
				}
				got := rc.Refused()
				switch {
				case tt.row == 0 && got != nil, tt.row > 0 && got == nil:
					t.Errorf("refused: %+v, want %d", got, tt.row)
				case got != nil && (got.InARow != tt.row || got.Why != tt.why || got.Since.Before(start) || got.Last.Before(got.Since)):
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
			if w := rc.deliver(delivery{"POST", "/webhooks", hookBody, "secret", "PUBLICATION_CREATED"}.request()); w.Code != http.StatusNoContent {
				t.Errorf("%d", w.Code)
			}
			if got := rc.Refused(); (got != nil) != (want == 1) {
				t.Errorf("after %s: %+v", pause, got)
			}
		})
	}
	rc := newReceiver()
	rc.Inbox = fullInbox{rc.inbox}
	rc.deliver(delivery{"POST", "/webhooks", hookBody, "secret", "PUBLICATION_CREATED"}.request())
	if got := rc.Refused(); got == nil || got.Why != "store" {
		t.Errorf("a full store: %+v", got)
	}
}

type slowInbox struct {
	*inbox
	pause time.Duration
}

func (i slowInbox) Accept(marks ...store.Mark) error {
	time.Sleep(i.pause)
	return i.inbox.Accept(marks...)
}

type fullInbox struct{ *inbox }

func (fullInbox) Accept(...store.Mark) error { return errors.New("no space left on device") }
