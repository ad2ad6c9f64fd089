package sweep

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/marketplace"
)

// Listed is what one sweep has listed, or several sweeps of one run.
type Listed struct {
	ids      map[string]struct{} // each entry once
	pages    int
	undated  int // entries without an updatedAt
	nameless int // entries without an id
	entries  atomic.Int64
	variants bool   // the changed product variants were listed
	ahead    *ahead // nil: nothing was read ahead
}

// NewListed has listed nothing.
func NewListed() *Listed { return &Listed{ids: map[string]struct{}{}} }

// Entries is the number of entries that were listed, each counted once. It may be called while the
// list is read: a person is told how far it has come.
func (l *Listed) Entries() int { return int(l.entries.Load()) }

// Pages is the number of pages that were listed.
func (l *Listed) Pages() int { return l.pages }

// PassedOver is the number of entries that had no id or no updatedAt.
func (l *Listed) PassedOver() int { return l.undated + l.nameless }

func (l *Listed) add(p marketplace.Page) {
	l.pages++
	for _, e := range p.Entries {
		l.ids[e.ID] = struct{}{}
	}
	l.entries.Store(int64(len(l.ids)))
	l.undated += len(p.Undated)
	l.nameless += p.Nameless
}

// A Result is how the last sweep of a kind ended, as status shows it.
type Result struct {
	At        time.Time `json:"at,omitzero"` // when it began
	Listed    int       `json:"listed"`
	Passed    int       `json:"passedOver,omitempty"` // entries without an id or an updatedAt
	Error     string    `json:"error,omitempty"`
	OfShop    bool      `json:"ofShop,omitempty"`     // the error is of a call of the shop
	Completed time.Time `json:"completedAt,omitzero"` // when the last completed one began
}

// A history is the last sweep of each kind.
type history struct {
	mu                sync.Mutex
	incremental, full Result
}

func (h *history) record(full bool, start time.Time, l *Listed, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	last := &h.incremental
	if full {
		last = &h.full
	}
	r := Result{At: start, Listed: l.Entries(), Passed: l.PassedOver(), Completed: start}
	if err != nil {
		r.Error, r.OfShop, r.Completed = err.Error(), errors.As(err, new(*health.ShopError)), last.Completed
	}
	*last = r
}

func (h *history) get() (incremental, full Result) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.incremental, h.full
}
