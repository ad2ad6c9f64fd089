package alert

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/store"
)

// An ear is a receiver that may fail, or never answer.
type ear struct {
	mu    sync.Mutex
	heard []string
	err   error
	hangs bool
}

func (e *ear) mend() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.err = nil
}

func (e *ear) messages() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.heard)
}

func (e *ear) Send(ctx context.Context, text string) error {
	if e.hangs {
		<-ctx.Done()
		return ctx.Err()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err == nil {
		e.heard = append(e.heard, text)
	}
	return e.err
}

// A worker that runs tells each receiver once, whatever becomes of the other and of restarts.
func TestAWorkerTellsItsReceivers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		logger := slog.New(slog.NewTextHandler(&log, nil))
		var trouble atomic.Value
		trouble.Store("key hunter22 refused")
		begun := time.Now()
		status := func(context.Context) (desk.Status, error) {
			return desk.Status{Store: desk.StoreStatus{Error: trouble.Load().(string)}, Started: begun}, nil
		}
		good, broken, slow := &ear{}, &ear{err: errors.New("hunter22 is wrong")}, &ear{hangs: true}
		facts := store.InMemory()
		worker := func() (stop func()) {
			ctx, cancel := context.WithCancel(t.Context())
			var all sync.WaitGroup
			for name, receiver := range map[string]Receiver{"good": good, "broken": broken, "slow": slow} {
				a := &Alerter{
					Name: name, Receiver: receiver, Status: status, Store: facts,
					Redact: func(text string) string { return strings.ReplaceAll(text, "hunter22", "[secret]") },
					Log:    logger,
				}
				all.Go(func() { a.Run(ctx) })
			}
			return func() { cancel(); all.Wait() }
		}
		stop := worker()
		time.Sleep(10 * time.Minute)
		stop()
		stop = worker() // a restart repeats nothing
		time.Sleep(30 * time.Minute)
		synctest.Wait()
		if len(good.messages()) != 1 {
			t.Fatalf("got %q, want one message", good.messages())
		}
		const told = "• the store cannot be written, webhooks are refused: key [secret] refused"
		if !strings.Contains(good.messages()[0], told) {
			t.Errorf("got %q, want %q in it", good.messages()[0], told)
		}
		if got := strings.Count(log.String(), "receiver=broken"); got != 2 {
			t.Errorf("got %d log records of the receiver that fails, want one of each worker:\n%s", got, &log)
		}
		if strings.Contains(log.String(), "hunter22") {
			t.Errorf("a secret is in the log:\n%s", &log)
		}
		broken.mend()
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		if len(broken.messages()) != 1 {
			t.Errorf("got %q, want what was missed, once it can be told", broken.messages())
		}
		trouble.Store("")
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		if heard := good.messages(); len(heard) != 2 ||
			!strings.Contains(heard[len(heard)-1], ", resolved:\n"+told) {
			t.Errorf("got %q, want a message that it is resolved", good.messages())
		}
		stop()
	})
}

func alerter(told Receiver, status func() desk.Status) *Alerter {
	return &Alerter{
		Receiver: told, Store: store.InMemory(), Log: slog.New(slog.DiscardHandler),
		Status: func(context.Context) (desk.Status, error) { return status(), nil },
		Redact: func(text string) string { return text },
	}
}

// What a paused shop blocks is not known, so it is told neither as new nor as resolved.
func TestBlockedDuringAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := desk.Status{Publications: map[store.State]int{store.StateBlocked: 1}}
		told := &ear{}
		a := alerter(told, func() desk.Status { return now })
		for minute := range 10 {
			now.Shop.Paused = minute > 2 && minute < 7
			a.Pass(t.Context())
			time.Sleep(time.Minute)
		}
		if len(told.messages()) != 1 {
			t.Errorf("got %q, want one message", told.messages())
		}
	})
}

// A single run each night is not followed by a look a minute later: its end tells what is gone.
func TestSingleRunsTell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := &ear{}
		a := alerter(told, func() desk.Status { return desk.Status{Started: time.Now()} })
		a.Once = true
		for _, exit := range []int{desk.ExitShop, desk.ExitOK, desk.ExitShop, desk.ExitShop, desk.ExitOK} {
			a.Pass(t.Context(), OfRun(desk.Summary{Exit: exit, Error: "the shop is away"})...)
			time.Sleep(24 * time.Hour)
		}
		if got := told.messages(); len(got) != 4 || !strings.Contains(got[1], "resolved") {
			t.Errorf("got %q, want a failure and its end, twice", got)
		}
	})
}
