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
				got := rc.Refusals.Worst(t.Context())
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
			if got := rc.Refusals.Worst(t.Context()); (got != nil) != (want == 1) {
				t.Errorf("after %s: got %+v, want %d refused", pause, got, want)
			}
		})
	}
	rc := newReceiver()
	rc.Inbox = fullInbox{rc.inbox}
	rc.deliver(delivery{"POST", "/webhooks", hookBody, "secret", "PUBLICATION_CREATED"}.request())
	if got := rc.Refusals.Worst(t.Context()); got == nil || got.Why != "store" {
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

// The count of refused deliveries outlives the process, and takes few writes however many strangers
// send. An acknowledged delivery ends it, a new registration does, and two days without a refusal.
func TestRefusalsAreKept(t *testing.T) {
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
	synctest.Test(t, func(t *testing.T) {
		rc := newReceiver()
		start := time.Now()
		for range 4 {
			rc.deliver(forged.request())
			time.Sleep(time.Hour)
		}
		expect := func(when string, want int) {
			t.Helper()
			again := newReceiver(
				func(o *Options) { o.Refusals = NewRefusals(rc.inbox, func(err error) { t.Error(err) }, o.Log) },
			)
			kept, err := RefusedIn(t.Context(), rc.inbox, time.Now())
			if err != nil {
				t.Error(err)
			}
			for where, got := range map[string]*Refused{
				"another process": again.Refusals.Worst(t.Context()),
				"the store alone": kept,
			} {
				switch {
				case (got != nil) != (want > 0):
					t.Errorf("%s: %s tells %+v, want %d", when, where, got, want)
				case got != nil && (got.InARow != want || !got.Since.Equal(start) || got.Why != "signature"):
					t.Errorf("%s: %s tells %+v, want %d", when, where, *got, want)
				}
			}
		}
		expect("four within hours", 4)
		time.Sleep(46 * time.Hour)
		expect("47 hours after the last", 4)
		time.Sleep(time.Hour)
		expect("two days after the last", 0)
		rc.deliver(forged.request())
		if got := rc.Refusals.Worst(t.Context()); got == nil || got.InARow != 1 {
			t.Errorf("the next one: got %+v, want a row of 1", got)
		}
		time.Sleep(time.Hour)
		rc.deliver(good.request())
		expect("acknowledged", 0)

		time.Sleep(time.Hour)
		start = time.Now()
		before := rc.inbox.written()
		ctx, stop := context.WithCancel(t.Context())
		ran := make(chan struct{})
		go func() {
			defer close(ran)
			rc.Refusals.Run(ctx)
		}()
		for range 3600 { // an hour of a stranger, and of good deliveries in between
			rc.deliver(forged.request())
			if n := rc.Refusals.Worst(ctx); n != nil && n.InARow == 100 {
				rc.deliver(good.request())
			}
			time.Sleep(time.Second)
		}
		if n := rc.inbox.written() - before; n == 0 || n > 13 {
			t.Errorf("got %d writes in an hour, want 1 to 13", n)
		}
		rc.deliver(good.request())
		start = time.Now()
		for range 3 {
			rc.deliver(forged.request())
		}
		stop()
		<-ran
		expect("written at the end", 3)
		rc.Refusals.Registered(ctx, "/hooks/webhooks/token")
		time.Sleep(time.Hour)
		rc.deliver(forged.request())
		expect("the other address is registered anew", 4)
		time.Sleep(time.Hour)
		rc.Refusals.Registered(ctx, "/hooks/webhooks")
		expect("its own", 0)
	})
}

// A row of refusals is told of in the log, now and then.
func TestARowOfRefusalsIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		rc := newReceiver(func(o *Options) {
			o.Refusals = NewRefusals(
				&inbox{facts: map[string]string{}}, func(err error) { t.Error(err) },
				slog.New(slog.NewTextHandler(&log, nil)),
			)
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
