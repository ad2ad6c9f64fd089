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
	opts      Options
	sdl       string
	schema    *ast.Schema
	bucket    *bucket
	documents *cache[*document]
	pictures  *cache[[]byte]
	courier   *courier
	faults    *faults
	app       *app
	ledger    *ledgers
	done      chan struct{} // closed by Close: ends all waits
	closing   sync.Once

	mu         sync.RWMutex
	token      string // empty: revoked
	baseURL    string
	records    map[string]*record // by publication id, those gone among them
	listings   map[string]*record // by listing id
	products   map[string]*record // by product id
	byID       []*record          // on the list, ascending
	byUpdate   []*record          // on the list, by updatedAt and id, ascending
	variants   []variantPlace     // product variants by updatedAt and id, nil when it has to be made anew
	tree       []category         // parents before children
	last       time.Time          // the latest updatedAt given out
	serial     uint64             // of the ids made up
	templates  int                // of the catalogue, used so far
	generation uint64             // of the valid cursors
	refused    []string           // cursors that are refused
	onContent  []func(id string)
	onReport   []func(id string)
	onReported []func(Report)
	onOrder    []func(Outcome)
	choice     *rand.Rand // of the publication that an order names none of
}

// New makes a marketplace. It starts no goroutine; deliveries of webhooks do, and Close ends them.
// It panics where the options make no schema.
func New(opts Options) *Marketplace {
	opts = opts.withDefaults()
	sdl := opts.sdl()
	schema, err := gqlparser.LoadSchema(&ast.Source{Name: "marketplace.graphql", Input: sdl})
	if err != nil {
		panic(fmt.Sprintf("sandbox: New: %v", err))
	}
	m := &Marketplace{
		opts:      opts,
		sdl:       sdl,
		schema:    schema,
		bucket:    newBucket(opts.Limit, opts.RestoreRate),
		documents: newCache[*document](cachedDocuments),
		pictures:  newCache[[]byte](cachedPictures),
		faults:    &faults{dice: rand.New(rand.NewPCG(opts.Seed, 1)), armed: append([]Fault(nil), opts.Faults...)},
		app:       newApp(),
		ledger:    newLedgers(opts.LedgerSize),
		done:      make(chan struct{}),
		token:     opts.Token,
		baseURL:   opts.BaseURL,
		records:   make(map[string]*record),
		listings:  make(map[string]*record),
		products:  make(map[string]*record),
		tree:      categories[:],
		choice:    rand.New(rand.NewPCG(opts.Seed, 2)),
	}
	m.courier = newCourier(opts, m.ledger)
	return m
}

// Close ends deliveries and slow answers, and returns when no goroutine of the marketplace is left.
// It still answers afterwards, but delivers no webhooks.
func (m *Marketplace) Close() {
	m.closing.Do(func() { close(m.done) })
	m.courier.close()
}

// SDL is the schema, as text in the schema language.
func (m *Marketplace) SDL() string { return m.sdl }

// Remaining is what the cost bucket holds now, in whole points.
func (m *Marketplace) Remaining() int { return m.bucket.level() }

// Spend removes points from the bucket as another client of the same app would.
func (m *Marketplace) Spend(points int) { m.bucket.spend(points) }

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

// RefuseCursors makes the marketplace refuse these cursors, and no others.
func (m *Marketplace) RefuseCursors(cursors ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refused = append(m.refused, cursors...)
}

// OnContentRead has f called with the id of each publication whose listing was read, after the
// answer was made and before it is sent. f may change the marketplace: the client does not know of
// it yet.
func (m *Marketplace) OnContentRead(f func(id string)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.onContent = append(m.onContent, f)
}

// OnReport has f called with the id of each publication that is about to be reported on, before the
// report takes effect. f may change the marketplace.
func (m *Marketplace) OnReport(f func(id string)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.onReport = append(m.onReport, f)
}

// OnReported has f called with each report, accepted or refused, before its answer is sent. f may
// change the marketplace.
func (m *Marketplace) OnReported(f func(Report)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.onReported = append(m.onReported, f)
}

// OnDelivered has f called with each attempt to deliver a webhook, when it has ended. f may change
// the marketplace.
func (m *Marketplace) OnDelivered(f func(Delivery)) { m.courier.listen(f) }
