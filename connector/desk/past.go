package desk

import "context"

import "github.com/pubsync/pubsync/store"

// metaPast is the fact of the store that holds a Past.
const metaPast = "past"

// A Past is what the store keeps of the last process: its sweeps and its last error.
type Past struct {
	Incremental LastSweep  `json:"incremental"`
	Full        LastSweep  `json:"full"`
	LastError   *LastError `json:"lastError,omitempty"`
}

// Keep writes it. A sweep or an error that this process has not had is kept from the process
// before.
func (p Past) Keep(ctx context.Context, s store.Facts) error {
	before, err := pastOf(ctx, s)
	if err != nil {
		return err
	}
	p.Incremental = p.Incremental.behind(before.Incremental)
	p.Full = p.Full.behind(before.Full)
	if p.LastError == nil {
		p.LastError = before.LastError
	}
	return store.SetMetaJSON(ctx, s, metaPast, p)
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
func pastOf(ctx context.Context, s store.Facts) (p Past, err error) {
	_, err = store.MetaJSON(ctx, s, metaPast, &p)
	return p, err
}
