package sandbox

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

// A Marketplace is a marketplace in memory. Its methods may be called from any goroutine at any
// time.
type Marketplace struct {
	opts    Options
	schema  *ast.Schema
	bucket  *bucket
	courier *courier
	faults  *faults
	app     *app
	ledger  ledger
	done    chan struct{} // closed by Close: ends all waits
	closing sync.Once

	mu         sync.Mutex
	token      string // empty: revoked
	baseURL    string
	records    map[string]*record // by publication id, those gone among them
	listings   map[string]*record // by listing id
	products   map[string]*record // by product id
	byID       []*record          // listed, nil when it has to be made anew
	byUpdate   []*record          // updated, the same
	variants   []place            // product variants by updatedAt and id, nil when it has to be made anew
	last       time.Time          // the latest updatedAt given out
	serial     uint64             // of the ids made up
	templates  int                // of the catalogue, used so far
	generation uint64             // of the valid cursors
	onReported []func(Report)
	onOrder    []func(Outcome)
	choice     *rand.Rand // of the publication that an order names none of
}

// New makes a marketplace. It starts no goroutine; deliveries of webhooks do, and Close ends them.
// It panics where the options make no schema.
func New(opts Options) *Marketplace {
	opts = opts.withDefaults()
	schema, err := gqlparser.LoadSchema(&ast.Source{Name: "marketplace.graphql", Input: opts.sdl()})
	if err != nil {
		panic(fmt.Sprintf("sandbox: New: %v", err))
	}
	return &Marketplace{
		opts: opts, schema: schema,
		bucket:  &bucket{limit: float64(opts.Limit), rate: opts.RestoreRate, remaining: float64(opts.Limit)},
		courier: newCourier(opts),
		faults:  &faults{dice: rand.New(rand.NewPCG(opts.Seed, 1)), armed: append([]Fault(nil), opts.Faults...)},
		app:     &app{codes: map[string]grant{}, tokens: map[string]grant{}},
		done:    make(chan struct{}), token: opts.Token, baseURL: opts.BaseURL,
		records: map[string]*record{}, listings: map[string]*record{}, products: map[string]*record{},
		choice: rand.New(rand.NewPCG(opts.Seed, 2)),
	}
}

// Close ends deliveries and slow answers, and returns when no goroutine of the marketplace is left.
// It still answers afterwards, but delivers no webhooks.
func (m *Marketplace) Close() {
	m.closing.Do(func() { close(m.done) })
	m.courier.close()
}

// Remaining is what the cost bucket holds now, in whole points.
func (m *Marketplace) Remaining() int { return m.bucket.level() }

// Spend removes points from the bucket as another client of the same app would, as far as there are
// any.
func (m *Marketplace) Spend(points int) { m.bucket.take(min(points, m.bucket.level())) }

// RevokeToken makes every request a 401 until SetToken.
func (m *Marketplace) RevokeToken() { m.SetToken("") }

// SetToken changes the token that is accepted.
func (m *Marketplace) SetToken(token string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.token = token
}

// ExpireCursors makes the marketplace refuse every cursor it has handed out so far. Those of later
// answers are good.
func (m *Marketplace) ExpireCursors() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.generation++
}

// OnReported has f called with each report, accepted or refused, before its answer is sent. f may
// change the marketplace.
func (m *Marketplace) OnReported(f func(Report)) { listen(m, &m.onReported, f) }

// OnOrder has f called with the outcome of each order, after it took effect and before the one who
// gave it knows.
func (m *Marketplace) OnOrder(f func(Outcome)) { listen(m, &m.onOrder, f) }

// OnDelivered has f called with each attempt to deliver a webhook, when it has ended. f may change
// the marketplace.
func (m *Marketplace) OnDelivered(f func(Delivery)) { m.courier.listen(f) }

func listen[T any](m *Marketplace, hooks *[]func(T), f func(T)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	*hooks = append(*hooks, f)
}

// call runs hooks without the lock, since they may change the marketplace.
func call[T any](m *Marketplace, hooks *[]func(T), with T) {
	m.mu.Lock()
	all := *hooks
	m.mu.Unlock()
	for _, hook := range all {
		hook(with)
	}
}
