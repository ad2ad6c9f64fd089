package desk

import (
	"context"

	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/store"
)

const pastFact store.Fact[Past] = "past"

// A Past is what the store keeps of the last process: its sweeps, its last error, and the exit code
// of a single run that began at its end.
type Past struct {
	Exit        int        `json:"exit,omitempty"`
	Incremental LastSweep  `json:"incremental"`
	Full        LastSweep  `json:"full"`
	LastError   *LastError `json:"lastError,omitempty"`
}

// Keep writes it. A sweep that this process has not made is kept from the process before.
func (p Past) Keep(ctx context.Context, s store.Store) error {
	before, err := pastOf(ctx, s)
	if err != nil {
		return err
	}
	p.Incremental = p.Incremental.behind(before.Incremental)
	p.Full = p.Full.behind(before.Full)
	return pastFact.Set(ctx, s, p)
}

// LeftError is the error that the process before left, none where it was mended.
func LeftError(ctx context.Context, s store.Store) (health.Error, error) {
	p, err := pastOf(ctx, s)
	if err != nil || p.LastError == nil {
		return health.Error{}, err
	}
	e := *p.LastError
	return health.Error{Message: e.Message, At: e.At, Part: e.Part, Publication: e.Publication}, nil
}

// behind returns a sweep that followed another one, or that other one if it was never made.
func (l LastSweep) behind(before LastSweep) LastSweep {
	switch {
	case l.At.IsZero():
		return before
	case l.Completed.IsZero():
		l.Completed = before.Completed
	}
	return l
}

// pastOf reads what Keep wrote; the zero Past where there is nothing.
func pastOf(ctx context.Context, s store.Store) (p Past, err error) {
	p, _, err = pastFact.Get(ctx, s)
	return p, err
}
