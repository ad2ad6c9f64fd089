package sandbox

import (
	"context"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
)

// A Marketplace is a marketplace in memory. Its methods may be called from any goroutine.
type Marketplace struct {
	opts   Options
	schema *ast.Schema
	closed context.Context // ends all waits
	close  context.CancelFunc

	client  *http.Client  // delivers webhooks
	places  chan struct{} // of deliveries under way
	working sync.WaitGroup

	mu         sync.Mutex
	token      string             // empty: revoked
	points     float64            // in the cost bucket
	filled     time.Time          // when the bucket was looked at last
	records    map[string]*record // by publication id, those gone among them
	lists      map[byte][]place   // in the orders that were asked for since the last change
	last       time.Time          // the latest updatedAt given out
	serial     uint64             // of the ids made up
	templates  int                // of the catalogue, used so far
	generation uint64             // of the valid cursors
	codes      map[string]grant   // what a code can be exchanged for; a spent one is gone
	tokens     map[string]grant   // that came by installation
	hooks      []*Webhook
	channel    *Webhook // the channel's default one
	made       int      // registrations ever
	faults     []Fault
	dice       *rand.Rand
	seen       []Request
	told       []Report
	hear       []func(event any)
}

// New makes a marketplace. It panics where the options make no schema. Close ends the goroutines
// that deliver webhooks.
func New(opts Options) *Marketplace {
	opts.setDefaults()
	m := &Marketplace{
		opts: opts, schema: opts.schema(), token: opts.Token, points: float64(opts.Limit), filled: time.Now(),
		records: map[string]*record{}, lists: map[byte][]place{}, codes: map[string]grant{}, tokens: map[string]grant{},
		channel: &Webhook{}, dice: rand.New(rand.NewPCG(opts.Seed, 1)), client: newClient(), places: make(chan struct{}, atOnce),
	}
	m.closed, m.close = context.WithCancel(context.Background()) //nolint:gosec // Close calls it
	return m
}

// Close ends deliveries and slow answers, and returns when no goroutine of the marketplace is left.
// It still answers afterwards, but delivers no webhooks.
func (m *Marketplace) Close() {
	m.locked(m.close) // so that no delivery begins after it
	m.working.Wait()
	m.client.CloseIdleConnections()
}

func (m *Marketplace) locked(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f()
}

// SetToken changes the token that is accepted; with "" every request is a 401.
func (m *Marketplace) SetToken(token string) { m.locked(func() { m.token = token }) }

// ExpireCursors has every cursor of earlier answers refused.
func (m *Marketplace) ExpireCursors() { m.locked(func() { m.generation++ }) }

// Deny has the token denied the root fields that are named, and no other, as one that gains or loses
// a right.
func (m *Marketplace) Deny(fields ...string) { m.locked(func() { m.opts.Denied = fields }) }

// Hear has f called with each [Report] before its answer is sent, with the [Outcome] of each order,
// and with a sentence for each delivery of a webhook that has ended. f may change the marketplace.
func (m *Marketplace) Hear(f func(event any)) { m.locked(func() { m.hear = append(m.hear, f) }) }

func (m *Marketplace) tell(event any) {
	var all []func(event any)
	m.locked(func() { all = m.hear })
	for _, f := range all {
		f(event)
	}
}
