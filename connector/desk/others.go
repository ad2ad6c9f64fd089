package desk

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"reflect"
	"time"

	"github.com/pubsync/pubsync/store"
)

// An order is what a process wants of the one that works on the account.
type order struct {
	ID string `json:"id"`
	RunOptions
}

// A carried is the last order carried out, and the one begun: if its process ends, the next carries it out.
type carried struct {
	ID      string  `json:"id"`
	Begun   string  `json:"begun"`
	Summary Summary `json:"summary"`
}

const (
	orderFact   store.Fact[order]   = "desk.order"
	carriedFact store.Fact[carried] = "desk.carried"
	liveFact    store.Fact[Status]  = "desk.live" // what only the worker knows

	liveEvery  = 10 * time.Second       // between two writes of liveFact
	orderEvery = 250 * time.Millisecond // between two looks for the answer
	orderWait  = time.Minute            // for a run to begin, beyond its patience
)

// openOrder returns the order to carry out, without an ID if there is none.
func openOrder(ctx context.Context, s store.Store) (open order, last carried, err error) {
	last, _, err = carriedFact.Get(ctx, s)
	open, _, missing := orderFact.Get(ctx, s)
	if open.ID == last.ID {
		open = order{}
	}
	return open, last, errors.Join(err, missing)
}

// Remote is a Worker outside the process that works on the account. It leaves orders in the store; each write
// wakes that process, which then tries the shop.
type Remote struct {
	Alone

	Planned func(context.Context, RunOptions) (Plan, error)
}

func (r Remote) Tell(ctx context.Context, s *Status) (err error) {
	*s, _, err = liveFact.Get(ctx, r.Store)
	return err
}

func (r Remote) Plan(ctx context.Context, o RunOptions) (Plan, error) { return r.Planned(ctx, o) }

// Run orders a run. It waits for the summary, after an earlier order, and gives up if no process begins the run.
func (r Remote) Run(ctx context.Context, o RunOptions) (Summary, error) {
	mine := order{rand.Text(), o}
	if !o.Wait {
		return Summary{}, orderFact.Set(ctx, r.Store, mine)
	}
	for since := time.Now(); ctx.Err() == nil; {
		open, last, err := openOrder(ctx, r.Store)
		switch {
		case err != nil || last.ID == mine.ID:
			return last.Summary, err
		case open.ID == "":
			if err = orderFact.Set(ctx, r.Store, mine); err != nil {
				return Summary{}, err
			}
		case last.Begun != last.ID:
			since = time.Now()
		case time.Since(since) > o.Patience+orderWait:
			return Summary{}, &Error{Exit: ExitStore, Err: errUnheard}
		}
		select {
		case <-ctx.Done():
		case <-time.After(orderEvery):
		}
	}
	return Summary{}, ctx.Err()
}

var errUnheard = errors.New("the run was not made: no process that works on the account has answered; " +
	"read pubsync status and the log of the process that has the account, and run again")

// ServeOthers carries out orders, at once and at each signal, and writes liveFact, until ctx ends.
func (l *Local) ServeOthers(ctx context.Context, orders <-chan struct{}, log *slog.Logger) {
	live, told := time.Tick(liveEvery), Status{}
	tell := func() error {
		var now Status
		if err := l.Worker.Tell(ctx, &now); err != nil || reflect.DeepEqual(now, told) {
			return err
		}
		told = now
		return liveFact.Set(ctx, l.Store, now)
	}
	for err := errors.Join(tell(), l.carryOut(ctx)); ; {
		if err != nil && ctx.Err() == nil {
			log.Error("other processes are not served", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-orders:
			err = l.carryOut(ctx)
		case <-live:
			err = tell()
		}
	}
}

func (l *Local) carryOut(ctx context.Context) error {
	o, done, err := openOrder(ctx, l.Store)
	if err != nil || o.ID == "" {
		return err
	}
	done.Begun = o.ID
	if err = carriedFact.Set(ctx, l.Store, done); err != nil {
		return err
	}
	done.ID = o.ID
	if done.Summary, err = l.Worker.Run(ctx, o.RunOptions); err != nil {
		return err
	}
	return carriedFact.Set(ctx, l.Store, done)
}
