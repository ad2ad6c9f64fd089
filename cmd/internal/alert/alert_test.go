package alert

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/store"
)

// A scene is a desk that tells what the test says.
type scene struct {
	desk.Desk

	status desk.Status
	listed []desk.Listed
}

func (s *scene) Status(context.Context) (desk.Status, error) { return s.status, nil }

func (s *scene) Publications(context.Context, desk.Query) (desk.List, error) {
	return desk.List{Publications: s.listed}, nil
}

// A shelf keeps facts.
type shelf map[string]string

func (s shelf) Meta(_ context.Context, key string) (string, error) { return s[key], nil }

func (s shelf) SetMeta(_ context.Context, key, value string) error {
	s[key] = value
	return nil
}

// An ear is a receiver that may fail, or never answer.
type ear struct {
	heard []string
	err   error
	hangs bool
}

func (e *ear) Send(ctx context.Context, text string) error {
	if e.hangs {
		<-ctx.Done()
		return ctx.Err()
	}
	if e.err == nil {
		e.heard = append(e.heard, text)
	}
	return e.err
}

// A worker that runs tells each receiver once, whatever becomes of the other and of restarts.
func TestAWorkerTellsItsReceivers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		s := &scene{
			status: desk.Status{Publications: map[store.State]int{store.StateBlocked: 3}, Started: time.Now()},
			listed: []desk.Listed{
				{Error: "key hunter22 refused"},
				{Error: "key hunter22 refused"},
				{Error: "no category"},
			},
		}
		good, broken, slow := &ear{}, &ear{err: errors.New("hunter22 is wrong")}, &ear{hangs: true}
		facts := shelf{}
		worker := func() (stop func()) {
			ctx, cancel := context.WithCancel(t.Context())
			a := &Alerter{
				Receivers: map[string]Receiver{"good": good, "broken": broken, "slow": slow}, Desk: s, Store: facts,
				Redact: func(text string) string { return strings.ReplaceAll(text, "hunter22", "[secret]") },
				Log:    slog.New(slog.NewTextHandler(&log, nil)),
			}
			done := make(chan struct{})
			go func() { defer close(done); a.Run(ctx) }()
			return func() { cancel(); <-done }
		}
		stop := worker()
		time.Sleep(10 * time.Minute)
		stop()
		stop = worker() // a restart repeats nothing
		time.Sleep(30 * time.Minute)
		if len(good.heard) != 1 {
			t.Fatalf("got %q, want one message", good.heard)
		}
		if want := "• 3 products are blocked: key [secret] refused (2); no category (1). See: "; !strings.Contains(
			good.heard[0],
			want,
		) {
			t.Errorf("got %q, want %q in it", good.heard[0], want)
		}
		if got := strings.Count(log.String(), "receiver=broken"); got != 2 {
			t.Errorf("got %d log records of the receiver that fails, want one of each worker:\n%s", got, &log)
		}
		if strings.Contains(log.String(), "hunter22") {
			t.Errorf("a secret is in the log:\n%s", &log)
		}
		broken.err = nil
		time.Sleep(3 * time.Minute)
		if len(broken.heard) != 1 {
			t.Errorf("got %q, want what was missed, once it can be told", broken.heard)
		}
		s.status.Publications[store.StateBlocked] = 0
		time.Sleep(5 * time.Minute)
		if last := good.heard[len(good.heard)-1]; len(good.heard) != 2 ||
			!strings.Contains(last, ", resolved:\n• 3 products") {
			t.Errorf("got %q, want a message that it is resolved", good.heard)
		}
		stop()
	})
}
