// Package sandbox is a marketplace in memory: the part of the wholesale marketplace's API that a
// retailer's connector talks to, for the demo, this project's tests and the authors of adapters.
//
// A query is validated against the schema and charged before it runs; fragments and directives are not
// served. An object costs a point and a scalar [Options.ScalarCost], the entries of a connection as many
// times as its first asks for, pageInfo once, a list without first one entry, an introspection a point.
// What did not come is given back.
//
// [Marketplace.Add], [Marketplace.Update] and their kind, or an [Order], play the suppliers and the
// retailer. Registered webhooks learn of new publications, signed; the channel's default webhook learns
// of changed content, unsigned.
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
	token      string              // empty: revoked
	points     float64             // in the cost bucket
	filled     time.Time           // when the bucket was looked at last
	records    map[string]*record  // by publication id, those gone among them
	last       time.Time           // the latest updatedAt given out
	serial     uint64              // of the ids made up
	templates  int                 // of the catalogue, used so far
	generation uint64              // of the valid cursors
	codes      map[string][]string // account and scopes of each code; a spent one is gone
	tokens     map[string]string   // that came by installation, and the account of each
	hooks      []*Webhook
	channel    *Webhook // the channel's default one
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

// Close ends deliveries and slow answers, and returns when none is left. Requests are answered on.
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

// Deny has the token denied the root fields that are named, and no other.
func (m *Marketplace) Deny(fields ...string) { m.locked(func() { m.opts.Denied = fields }) }

// Hear has f, and no other, called with each [Report] before its answer is sent, with the [Outcome] of each order,
// and with a sentence for each delivery of a webhook that has ended. f may change the marketplace.
func (m *Marketplace) Hear(f func(event any)) { m.locked(func() { m.hear = f }) }

func (m *Marketplace) tell(event any) {
	var f func(event any)
	m.locked(func() { f = m.hear })
	f(event)
}

// The names and secrets of a marketplace where Options has none.
const (
	DefaultToken    = "sandbox-token"
	DefaultSecret   = "sandbox-secret"
	DefaultClientID = "sandbox-app"
)

// Options is what is settled when a marketplace is made: by default as the specification has it.
type Options struct {
	Token   string // the bearer token that is accepted
	Secret  string // the app's: signs webhooks and the steps of an installation
	Account string // the account's slug, and its id

	// The cost bucket.
	Limit              int            // points; 1000 when 0
	RestoreRate        float64        // points a second; 50 when 0
	QueryLimit         int            // the most one query may request; Limit when 0, and never more
	ScalarCost         int            // points of a scalar: 0 or 1
	FieldCosts         map[string]int // points of one value of a field, where they are other than its kind's
	PageInfoMultiplied bool           // pageInfo counts once per requested entry
	Bare429            bool           // where the bucket has no room: 429 and a few words, else 200 and an error

	// What the specification leaves open.
	StringIDs       bool        // identifiers are String, not ID
	Status          StatusForm  // of a publication, read and reported
	GoneError       bool        // an id that is not on the list is an error with the code NOT_FOUND, else null
	NoUpdatedAtSort bool        // publications sort by ID_DESC alone
	NoIntrospection bool        // __schema is refused
	Schema          [][2]string // further edits of the schema's text: a part, and what stands there instead
	Lacks           []string    // fields that the schema has not: "Product.brand"
	Denied          []string    // root fields that the token may not read
	OthersVariants  bool        // productVariants shows a product of the account's own, which no import list has

	// Habits of the server.
	RequestErrorStatus int                         // of a document that is not valid; 200 when 0
	Events             []string                    // that webhooks can be registered for; nil: the specification's
	KeepCallback       func(address string) string // how a new webhook's address is kept; nil: as it was sent
	UpdatedAtPrecision time.Duration               // updatedAt is cut to this and may repeat; 0: it never does
	Seed               uint64                      // of the faults' dice
}

// StatusForm is how a publication's status is typed and spelled.
type StatusForm int

// The forms of a status.
const (
	StatusString    StatusForm = iota // String: syncing, success, failed
	StatusEnum                        // an enum of syncing, success, failed
	StatusEnumUpper                   // an enum of SYNCING, SUCCESS, FAILED
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

// schema is the specification's, edited where it leaves a type open.
func (o *Options) schema() *ast.Schema {
	sdl := fmt.Sprintf("%s\nenum PublicationStatus { %s }\nenum WebhookEvent { %s }\n", specified,
		o.spell("syncing success failed"), strings.Join(o.Events, " "))
	edit := func(yes bool, from, to string) {
		if yes {
			sdl = strings.ReplaceAll(sdl, from, to)
		}
	}
	edit(o.NoUpdatedAtSort, "  ID_DESC\n  UPDATED_AT_ASC\n", "  ID_DESC\n")
	edit(o.StringIDs, ": ID!", ": String!")
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
