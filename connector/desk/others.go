package desk

import (
	"context"
	"crypto/rand"
	"errors"
	"reflect"
	"sync"
	"time"

	"github.com/pubsync/pubsync/store"
)

// An order is a sweep or a run that a process wants of the one that works on the account.
type order struct {
	ID       string        `json:"id"`
	At       time.Time     `json:"at"` // of the order, or of its last sign of life
	Full     bool          `json:"full"`
	Patience time.Duration `json:"patience"`
	Waits    bool          `json:"waits"` // for the run's summary
}

type carried struct {
	ID      string  `json:"id"`
	Summary Summary `json:"summary"`
}

const (
	orderFact   store.Fact[order]   = "desk.order"
	carriedFact store.Fact[carried] = "desk.carried"
	liveFact    store.Fact[Status]  = "desk.live" // what the worker alone knows of a status

	liveEvery  = 10 * time.Second       // between two writings of it
	orderLasts = 10 * time.Minute       // older ones have nobody who waits
	orderEvery = 250 * time.Millisecond // between two looks for the answer
	orderBeat  = 20 * time.Second       // between two signs of life of a run that was asked for
	orderWait  = time.Minute            // beyond its patience: how long a run is waited for without a sign of life
)

// openOrder is the order that is to be carried out, without an ID where there is none, and the last one that was.
func openOrder(ctx context.Context, s store.Store) (open order, last carried, err error) {
	last, _, err = carriedFact.Get(ctx, s)
	if err == nil {
		open, _, err = orderFact.Get(ctx, s)
	}
	if open.ID == last.ID || time.Since(open.At) >= orderLasts {
		open = order{}
	}
	return open, last, err
}

// Remote is a desk's worker in a process beside the one that works on the account, which each write wakes, and which
// tries the shop when it meets what was written. A sweep and a run are asked for in the store.
type Remote struct {
	Alone

	Planned func(context.Context, RunOptions) (Plan, error)
}

func (r Remote) Tell(ctx context.Context, s *Status) error {
	live, ok, err := liveFact.Get(ctx, r.Store)
	if !ok || err != nil {
		return r.Alone.Tell(ctx, s)
	}
	live.Shop.Warning = s.Shop.Warning
	s.Version, s.Started, s.Budget, s.Sweeps = live.Version, live.Started, live.Budget, live.Sweeps
	s.Shop, s.Marketplace, s.LastError, s.Webhook = live.Shop, live.Marketplace, live.LastError, live.Webhook
	return nil
}

func (r Remote) Sweep(ctx context.Context, full bool) error {
	return orderFact.Set(ctx, r.Store, order{ID: rand.Text(), At: time.Now(), Full: full})
}

func (r Remote) Plan(ctx context.Context, o RunOptions) (Plan, error) { return r.Planned(ctx, o) }

// Run asks for a run and waits for its summary. Another that was asked for comes first. It gives up where no process
// carries out what was asked for.
func (r Remote) Run(ctx context.Context, o RunOptions) (Summary, error) {
	mine := order{ID: rand.Text(), Full: o.Full, Patience: o.Patience, Waits: true}
	var heard order
	since := time.Now()
	for {
		now, last, err := openOrder(ctx, r.Store)
		if err != nil || last.ID == mine.ID {
			return last.Summary, err
		}
		if now.ID == "" {
			mine.At = time.Now()
			if err = orderFact.Set(ctx, r.Store, mine); err != nil {
				return Summary{}, err
			}
			now, heard = mine, mine // no sign of another's life
		}
		if now.ID != heard.ID || !now.At.Equal(heard.At) {
			heard, since = now, time.Now()
		} else if time.Since(since) > o.Patience+orderWait {
			return Summary{}, &Error{Exit: ExitStore, Err: errUnheard}
		}
		if !waits(ctx, orderEvery) {
			return Summary{}, ctx.Err()
		}
	}
}

var errUnheard = errors.New("the run was not made: no process that works on the account has answered; " +
	"read pubsync status and the log of the process that has the account, and run again")

// waits waits for a span, and reports whether ctx goes on.
func waits(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// ServeOthers carries out what other processes ask for, at once and whenever orders says so, and tells them what
// only the worker knows, until ctx ends.
func (l *Local) ServeOthers(ctx context.Context, orders <-chan struct{}, failed func(error)) {
	live, told := time.NewTicker(liveEvery), Status{}
	defer live.Stop()
	tell := func() error {
		var now Status
		if err := l.Worker.Tell(ctx, &now); err != nil || reflect.DeepEqual(now, told) {
			return err
		}
		told = now
		return liveFact.Set(ctx, l.Store, now)
	}
	for err := errors.Join(tell(), l.carryOut(ctx)); ctx.Err() == nil; {
		if err != nil {
			failed(err)
		}
		err = nil
		select {
		case <-ctx.Done():
		case <-orders:
			err = l.carryOut(ctx)
		case <-live.C:
			err = tell()
		}
	}
}

// carryOut does what another process has asked for, where it was not done yet.
func (l *Local) carryOut(ctx context.Context) error {
	o, _, err := openOrder(ctx, l.Store)
	if err != nil || o.ID == "" {
		return err
	}
	done := carried{ID: o.ID}
	if o.Waits {
		beating, end := context.WithCancel(ctx)
		var beat sync.WaitGroup
		beat.Go(func() { l.beat(beating, o) })
		done.Summary, err = l.Worker.Run(ctx, RunOptions{Full: o.Full, Patience: o.Patience})
		end()
		beat.Wait()
	} else {
		err = l.Worker.Sweep(ctx, o.Full)
	}
	if err != nil {
		return err
	}
	return carriedFact.Set(ctx, l.Store, done)
}

// beat renews the time of an order every orderBeat until ctx ends. So who waits for it sees that it is being carried
// out: a run may take much longer than its patience.
func (l *Local) beat(ctx context.Context, o order) {
	for waits(ctx, orderBeat) {
		if now, _, err := orderFact.Get(ctx, l.Store); err == nil && now.ID == o.ID {
			o.At = time.Now()
			_ = orderFact.Set(ctx, l.Store, o) //nolint:errcheck // it is told again
		}
	}
}
