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
	At       time.Time     `json:"at"`
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

var errUnheard = errors.New("the run was not made: no process that works on the account has answered; " +
	"read pubsync status and the log of the process that has the account, and run again")

// Run asks for a run and waits for its summary. Another that is asked for meanwhile is let come first. It gives up
// where no process carries out what was asked for.
func (r Remote) Run(ctx context.Context, o RunOptions) (Summary, error) {
	mine := order{ID: rand.Text(), Full: o.Full, Patience: o.Patience, Waits: true}
	var heard order
	since := time.Now()
	for {
		last, _, err := carriedFact.Get(ctx, r.Store)
		if err != nil || last.ID == mine.ID {
			return last.Summary, err
		}
		now, _, err := orderFact.Get(ctx, r.Store)
		if err == nil && now.ID != mine.ID && (now.ID == last.ID || !now.open()) {
			mine.At = time.Now()
			err = orderFact.Set(ctx, r.Store, mine)
		}
		if err != nil {
			return Summary{}, err
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

func (o order) open() bool { return o.ID != "" && time.Since(o.At) < orderLasts }

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
	now, _, err := orderFact.Get(ctx, l.Store)
	if err != nil || !now.open() {
		return err
	}
	last, _, err := carriedFact.Get(ctx, l.Store)
	if err != nil || last.ID == now.ID {
		return err
	}
	done := carried{ID: now.ID}
	if !now.Waits {
		if err := l.Worker.Sweep(ctx, now.Full); err != nil {
			return err
		}
	} else {
		beating, end := context.WithCancel(ctx)
		var beat sync.WaitGroup
		beat.Go(func() { l.beat(beating, now) })
		done.Summary, err = l.Worker.Run(ctx, RunOptions{Full: now.Full, Patience: now.Patience})
		end()
		if beat.Wait(); err != nil {
			return err
		}
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
