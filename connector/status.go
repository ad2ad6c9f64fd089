package connector

import (
	"time"

	"github.com/pubsync/pubsync/store"
)

// Status is the connector at one moment.
type Status struct {
	Version      string           `json:"version"`
	Publications map[string]int   `json:"publications"` // by state, every state among them
	Due          int              `json:"due"`
	Outbox       int              `json:"outbox"`
	Budget       Budget           `json:"budget"`
	Sweeps       Sweeps           `json:"sweeps"`
	Webhook      Registration     `json:"webhook"`
	Cursors      map[string]Since `json:"cursors"`
	Shop         Side             `json:"shop"`
	Marketplace  Side             `json:"marketplace"`
	Store        StoreStatus      `json:"store"`
	LastError    *LastError       `json:"lastError"`
	Started      time.Time        `json:"startedAt,omitzero"`
}

// Budget is the marketplace's cost bucket as far as it is known here, in points and points per second.
type Budget struct {
	Limit       float64 `json:"limit"`
	Remaining   float64 `json:"remaining"`
	RestoreRate float64 `json:"restoreRate"`
}

// Sweeps is the last sweep of each kind.
type Sweeps struct {
	Incremental sweepEntry `json:"incremental"`
	Full        sweepEntry `json:"full"`
	Schedule    string     `json:"schedule,omitempty"`
	Next        *time.Time `json:"next"`
}

// Since is when something was stored.
type Since struct {
	At time.Time `json:"at"`
}

// Side is one of the two other sides.
type Side struct {
	Name   string     `json:"name,omitempty"`
	Paused bool       `json:"paused"`
	Reason string     `json:"reason,omitempty"`
	Until  *time.Time `json:"until,omitempty"`
}

// StoreStatus is the store's file.
type StoreStatus struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
	Error string `json:"error,omitempty"`
}

// LastError is the last thing that went wrong.
type LastError struct {
	Message string    `json:"message"`
	At      time.Time `json:"at"`
}

// StatusOf is what the store alone tells, without a worker.
func StatusOf(st *store.Store) (Status, error) {
	s := Status{Publications: map[string]int{}, Cursors: map[string]Since{}}
	counts := st.Counts()
	for _, state := range States {
		s.Publications[string(state)] = counts[string(state)]
	}
	var err error
	if s.Due, err = st.Backlog(time.Now()); err != nil {
		return s, err
	}
	if s.Outbox, err = st.OutboxLen(); err != nil {
		return s, err
	}
	for _, name := range []string{cursorUpdated, cursorFull} {
		cursor, ok, err := st.CursorOf(name)
		if err != nil {
			return s, err
		}
		if ok {
			s.Cursors[name] = Since{At: cursor.At.Time()}
		}
	}
	s.Store = StoreStatus{Path: st.Path(), Bytes: st.Size()}
	return s, nil
}

// Status is what the worker tells. It is the store's error that makes it fail.
func (c *Connector) Status() (Status, error) {
	now := time.Now()
	s, err := StatusOf(c.store)
	if err != nil {
		return s, err
	}
	s.Version, s.Webhook, s.Started = c.version, c.registered.get(), c.started
	b := c.market.Budget()
	s.Budget = Budget{Limit: b.Limit, Remaining: b.Remaining, RestoreRate: b.RestoreRate}
	s.Sweeps.Incremental, s.Sweeps.Full = c.lastSweeps.get()
	if scheduled := c.nextSweep.Load(); scheduled != nil {
		if next := (*scheduled)(); !next.IsZero() {
			s.Sweeps.Next = &next
		}
	}
	s.Shop, s.Marketplace = side(c.name, c.shopGate.look(now)), side("", c.marketGate.look(now))
	if trouble := c.storeTrouble.trouble(); trouble != nil {
		s.Store.Error = trouble.Error()
	}
	if message, at := c.lastError.get(); message != "" {
		s.LastError = &LastError{Message: message, At: at}
	}
	return s, nil
}

func side(name string, t trouble) Side {
	s := Side{Name: name, Paused: t.Shut, Reason: t.Reason}
	if t.Shut && !t.Until.IsZero() {
		s.Until = &t.Until
	}
	return s
}
