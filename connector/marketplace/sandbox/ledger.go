package sandbox

import (
	"slices"
	"sync"
	"time"
)

// Kind is what a request is for.
type Kind string

// The kinds of requests. A document with several root fields has the first of their kinds in this
// order.
const (
	KindReport        Kind = "report"         // publicationStatusUpdated
	KindWebhookCreate Kind = "webhook-create" // webhookCreate
	KindContent       Kind = "content"        // reads a publication's listing
	KindList          Kind = "list"           // publications without their listings
	KindLook          Kind = "look"           // publication without its listing
	KindWebhooks      Kind = "webhooks"
	KindVariants      Kind = "variants" // productVariants
	KindOther         Kind = "other"    // account, channels, product, categories
	KindIntrospection Kind = "introspection"
	KindExchange      Kind = "exchange" // of a code for a token, during an installation
	KindInvalid       Kind = "invalid"  // did not parse, validate or authenticate
)

// A Request is one POST to the GraphQL endpoint, as it was answered.
type Request struct {
	At            time.Time
	Kind          Kind
	Operation     string // its name, where it has one
	Roots         int    // root fields, so many publications in a batch
	RequestedCost int
	ActualCost    int
	Throttled     bool
	Fault         FaultKind // what was done to it; empty: nothing
	Status        int       // HTTP status; 0 when the connection was cut
	Errors        int       // entries of the answer's errors
	Content       []string  // publications whose listing was read
}

// Total is the number and the cost of the requests of a kind.
type Total struct {
	Requests, Throttled, ActualCost int
}

// Requests lists the latest requests, oldest first.
func (m *Marketplace) Requests() []Request { return m.ledger.requests.list() }

// Totals counts all requests since New or Forget, by kind; it is not bounded by the size of the
// ledger.
func (m *Marketplace) Totals() map[Kind]Total {
	m.ledger.mu.Lock()
	defer m.ledger.mu.Unlock()
	out := make(map[Kind]Total, len(m.ledger.totals))
	for kind, total := range m.ledger.totals {
		out[kind] = total
	}
	return out
}

// Reports lists the latest reports of all publications, oldest first, those among them that were
// refused.
func (m *Marketplace) Reports() []Report { return m.ledger.reports.list() }

// Deliveries lists the latest attempts to deliver a webhook, in the order in which they ended.
func (m *Marketplace) Deliveries() []Delivery { return m.ledger.deliveries.list() }

// Forget empties the ledgers and the totals, so that what follows can be counted alone.
func (m *Marketplace) Forget() {
	m.ledger.requests.clear()
	m.ledger.reports.clear()
	m.ledger.deliveries.clear()
	m.ledger.mu.Lock()
	defer m.ledger.mu.Unlock()
	clear(m.ledger.totals)
}

type ledgers struct {
	requests   ring[Request]
	reports    ring[Report]
	deliveries ring[Delivery]

	mu     sync.Mutex
	totals map[Kind]Total
}

func newLedgers(size int) *ledgers {
	return &ledgers{
		requests: ring[Request]{
			limit: size,
		}, reports: ring[Report]{limit: size}, deliveries: ring[Delivery]{limit: size},
		totals: make(map[Kind]Total),
	}
}

// answered records a request.
func (l *ledgers) answered(r Request) {
	l.requests.add(r)
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.totals[r.Kind]
	t.Requests++
	t.ActualCost += r.ActualCost
	if r.Throttled {
		t.Throttled++
	}
	l.totals[r.Kind] = t
}

// A ring keeps the latest entries, up to a number of them.
type ring[T any] struct {
	mu      sync.Mutex
	limit   int
	next    int // the oldest, once the ring is full
	entries []T
}

func (r *ring[T]) add(entry T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.entries) < r.limit {
		r.entries = append(r.entries, entry)
		return
	}
	r.entries[r.next] = entry
	r.next = (r.next + 1) % r.limit
}

func (r *ring[T]) list() []T {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Concat(r.entries[r.next:], r.entries[:r.next])
}

func (r *ring[T]) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries, r.next = nil, 0
}

// classify tells what an operation is for.
func classify(fields []*field) Kind {
	rank := []Kind{
		KindReport,
		KindWebhookCreate,
		KindContent,
		KindList,
		KindLook,
		KindWebhooks,
		KindVariants,
		KindOther,
		KindIntrospection,
	}
	best := len(rank) - 1
	for _, f := range fields {
		best = min(best, slices.Index(rank, rootKind(f)))
	}
	if best == len(rank)-1 && !introspects(fields) {
		return KindOther // __typename alone
	}
	return rank[best]
}

func rootKind(f *field) Kind {
	switch f.name {
	case "publicationStatusUpdated":
		return KindReport
	case "webhookCreate":
		return KindWebhookCreate
	case "publication", "publications":
		if selectsListing(f.sub) {
			return KindContent
		}
		if f.connection {
			return KindList
		}
		return KindLook
	case "webhooks":
		return KindWebhooks
	case "productVariants":
		return KindVariants
	case "__schema", "__type", "__typename":
		return KindIntrospection
	default:
		return KindOther
	}
}

func selectsListing(fields []*field) bool {
	return slices.ContainsFunc(fields, func(f *field) bool { return f.name == "listing" || selectsListing(f.sub) })
}
