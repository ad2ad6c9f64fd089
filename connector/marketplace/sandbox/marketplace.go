package sandbox

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

// A Marketplace is a marketplace in memory. Its methods may be called from any goroutine.
type Marketplace struct {
	opts    Options
	schema  *ast.Schema
	bucket  *bucket
	courier *courier
	faults  *faults
	done    chan struct{} // closed by Close: ends all waits
	closing sync.Once

	mu         sync.Mutex
	token      string // empty: revoked
	baseURL    string
	records    map[string]*record // by publication id, those gone among them
	lists      map[byte][]place   // in the orders that were asked for since the last change
	last       time.Time          // the latest updatedAt given out
	serial     uint64             // of the ids made up
	templates  int                // of the catalogue, used so far
	generation uint64             // of the valid cursors
	codes      map[string]grant   // what a code can be exchanged for; a spent one is gone
	tokens     map[string]grant   // that came by installation

	ledger sync.Mutex
	seen   []Request
	told   []Report
	hear   []func(event any)
}

// New makes a marketplace. It panics where the options make no schema. Close ends the goroutines
// that deliver webhooks.
func New(opts Options) *Marketplace {
	opts = opts.withDefaults()
	schema, err := gqlparser.LoadSchema(&ast.Source{Name: "marketplace.graphql", Input: opts.sdl()})
	if err != nil {
		panic(fmt.Sprintf("sandbox: New: %v", err))
	}
	m := &Marketplace{
		opts: opts, schema: schema,
		bucket: &bucket{limit: float64(opts.Limit), rate: opts.RestoreRate, remaining: float64(opts.Limit)},
		faults: &faults{dice: rand.New(rand.NewPCG(opts.Seed, 1))},
		done:   make(chan struct{}), token: opts.Token, baseURL: opts.BaseURL, lists: map[byte][]place{},
		records: map[string]*record{}, codes: map[string]grant{}, tokens: map[string]grant{},
	}
	m.courier = newCourier(opts, m.tell)
	return m
}

// Close ends deliveries and slow answers, and returns when no goroutine of the marketplace is left.
// It still answers afterwards, but delivers no webhooks.
func (m *Marketplace) Close() {
	m.closing.Do(func() { close(m.done) })
	m.courier.close()
}

// Remaining is what the cost bucket holds now, in whole points.
func (m *Marketplace) Remaining() int { return m.bucket.level() }

// Spend removes points as another client of the same app would, as far as there are any.
func (m *Marketplace) Spend(points int) { m.bucket.take(min(points, m.bucket.level())) }

// RevokeToken makes every request a 401 until SetToken.
func (m *Marketplace) RevokeToken() { m.SetToken("") }

// SetToken changes the token that is accepted.
func (m *Marketplace) SetToken(token string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.token = token
}

// ExpireCursors has every cursor of earlier answers refused.
func (m *Marketplace) ExpireCursors() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.generation++
}

// ShowVariants changes what the list of product variants shows, as a token that gains or loses a
// right does.
func (m *Marketplace) ShowVariants(what VariantList) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.opts.Variants = what
	clear(m.lists)
}

// SetChannelWebhook has the channel's default webhook go to an address too; "" is none.
func (m *Marketplace) SetChannelWebhook(address string) {
	if address != "" {
		m.courier.register(Webhook{CallbackURL: address, Events: []string{eventContent}, Active: true, channel: true})
	}
}

// Hear has f called with each [Report] before its answer is sent, with the [Outcome] of each order,
// and with each [Delivery] that has ended. f may change the marketplace.
func (m *Marketplace) Hear(f func(event any)) {
	m.ledger.Lock()
	defer m.ledger.Unlock()
	m.hear = append(m.hear, f)
}

func (m *Marketplace) tell(event any) {
	m.ledger.Lock()
	all := m.hear
	m.ledger.Unlock()
	for _, f := range all {
		f(event)
	}
}
