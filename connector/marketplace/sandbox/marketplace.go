// Package sandbox is a marketplace in memory, for the demo, this project's tests and the authors of adapters.
//
// A query is validated and charged before it runs; fragments and directives are not served. An object or an
// introspection costs a point, a scalar [Options.ScalarCost]. Entries of a connection count times its first,
// pageInfo and other lists once. What did not come is given back.
//
// [Marketplace.Add], [Marketplace.Update] and their kind, or an [Order], play the suppliers and the retailer.
// Registered webhooks learn, signed, of new publications and changed content; the channel's default webhook, unsigned,
// of changed content.
package sandbox

import (
	"cmp"
	"context"
	_ "embed" // of the specification's schema
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

// A Marketplace may be used from any goroutine.
type Marketplace struct {
	opts   Options
	schema *ast.Schema
	closed context.Context // ends all waits
	close  context.CancelFunc

	client  *http.Client
	places  chan struct{} // of deliveries
	working sync.WaitGroup

	mu         sync.Mutex
	token      string // empty: revoked
	points     float64
	filled     time.Time          // last look at points
	records    map[string]*record // by publication id, with those gone
	last       time.Time
	serial     uint64              // of ids
	templates  int                 // of the catalogue, used
	generation uint64              // of valid cursors
	codes      map[string][]string // account and scopes of unspent codes
	tokens     map[string]string   // accounts of installed tokens
	hooks      []*Webhook
	channel    *Webhook // the default one
	faults     []Fault
	dice       *rand.Rand
	seen       []Request
	told       []Report
	hear       func(event any)
}

// New makes a marketplace. It panics where the options make no schema.
func New(opts Options) *Marketplace {
	opts.setDefaults()
	m := &Marketplace{
		opts: opts, schema: opts.schema(), token: opts.Token, points: float64(opts.Limit), filled: time.Now(),
		records: map[string]*record{}, codes: map[string][]string{}, tokens: map[string]string{},
		channel: &Webhook{}, places: make(chan struct{}, atOnce),
		dice: rand.New(rand.NewPCG(opts.Seed, 1)), hear: func(any) {},
	}
	m.client = &http.Client{
		Transport:     &http.Transport{MaxIdleConnsPerHost: atOnce, IdleConnTimeout: 10 * time.Second},
		Timeout:       5 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	m.closed, m.close = context.WithCancel(context.Background()) //nolint:gosec // Close calls it
	return m
}

// Close ends deliveries and slow answers. Requests are still answered.
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

// SetToken changes the accepted token; "" refuses all.
func (m *Marketplace) SetToken(token string) { m.locked(func() { m.token = token }) }

// ExpireCursors has all earlier cursors refused.
func (m *Marketplace) ExpireCursors() { m.locked(func() { m.generation++ }) }

// Hear sets the function that is called with each [Report] before its answer, each [Outcome], and a sentence on
// each ended delivery of a webhook. f may change the marketplace.
func (m *Marketplace) Hear(f func(event any)) { m.locked(func() { m.hear = f }) }

func (m *Marketplace) tell(event any) {
	var f func(event any)
	m.locked(func() { f = m.hear })
	f(event)
}

// Names and secrets where Options has none.
const (
	DefaultToken    = "sandbox-token"
	DefaultSecret   = "sandbox-secret"
	DefaultClientID = "sandbox-app"
)

// Options are by default as the specification has it.
type Options struct {
	Token   string
	Secret  string // of the app
	Account string // slug and id

	// The cost bucket.
	Limit       int            // points; 1000 when 0
	RestoreRate float64        // points a second; 50 when 0
	QueryLimit  int            // of one query; Limit when 0, and never more
	ScalarCost  int            // 0 or 1
	FieldCosts  map[string]int // points by field
	Bare429     bool           // throttled is HTTP 429, else an error in a 200

	// What the specification leaves open.
	Status          StatusForm
	GoneError       bool // an unknown id is an error NOT_FOUND, else null
	NoUpdatedAtSort bool // publications sort by ID_DESC alone
	NoIntrospection bool
	Schema          [][2]string // replacements in the schema's text: old, new
	Lacks           []string    // missing fields: "Product.brand"
	Denied          []string    // root fields that the token may not read

	// Habits of the server.
	RequestErrorStatus int                         // of an invalid document; 200 when 0
	Events             []string                    // of webhooks; nil: the specification's
	KeepCallback       func(address string) string // changes a new webhook's address; nil: not at all
	UpdatedAtPrecision time.Duration               // of updatedAt, which may then repeat; 0: it does not
	Seed               uint64                      // of faults by chance
}

// StatusForm is how a publication's status is typed and spelled.
type StatusForm int

// The forms of a status.
const (
	StatusString    StatusForm = iota // String: syncing, success, failed
	StatusEnum                        // an enum of the same
	StatusEnumUpper                   // an enum in upper case
)

func (o *Options) setDefaults() {
	o.Token, o.Secret = cmp.Or(o.Token, DefaultToken), cmp.Or(o.Secret, DefaultSecret)
	o.Account = cmp.Or(o.Account, "sandbox-retailer")
	o.Limit, o.RestoreRate = cmp.Or(o.Limit, 1000), cmp.Or(o.RestoreRate, 50)
	o.QueryLimit = min(cmp.Or(o.QueryLimit, o.Limit), o.Limit)
	o.RequestErrorStatus = cmp.Or(o.RequestErrorStatus, 200)
	if o.Events == nil {
		o.Events = strings.Fields("PRODUCT_CREATED PRODUCT_UPDATED PRODUCT_DELETED ORDER_CREATED ORDER_CONFIRMED " +
			"ORDER_UPDATED ORDER_CANCELLED INVOICE_CREATED PUBLICATION_CREATED")
	}
}

func (o *Options) spell(status string) string {
	if o.Status == StatusEnumUpper {
		return strings.ToUpper(status)
	}
	return status
}

//go:embed marketplace.graphql
var specified string

func (o *Options) schema() *ast.Schema {
	sdl := fmt.Sprintf("%s\nenum PublicationStatus { %s }\nenum WebhookEvent { %s }\n", specified,
		o.spell("syncing success failed"), strings.Join(o.Events, " "))
	edit := func(yes bool, from, to string) {
		if yes {
			sdl = strings.ReplaceAll(sdl, from, to)
		}
	}
	edit(o.NoUpdatedAtSort, "  ID_DESC\n  UPDATED_AT_ASC\n", "  ID_DESC\n")
	edit(o.Status != StatusString, "  status: String!", "  status: PublicationStatus!")
	for _, e := range o.Schema {
		edit(true, e[0], e[1])
	}
	schema := gqlparser.MustLoadSchema(&ast.Source{Name: "marketplace.graphql", Input: sdl})
	for _, field := range o.Lacks {
		of, name, _ := strings.Cut(field, ".")
		def := schema.Types[of]
		if def == nil || def.Fields.ForName(name) == nil {
			panic("the schema has no " + field)
		}
		def.Fields = slices.DeleteFunc(def.Fields, func(f *ast.FieldDefinition) bool { return f.Name == name })
	}
	return schema
}
