package sandbox

import (
	"cmp"
	"slices"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
)

// Kind is what a request is for, by its first root field.
type Kind string

// The kinds of requests.
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

var kinds = map[string]Kind{
	"publicationStatusUpdated": KindReport, "webhookCreate": KindWebhookCreate, "publications": KindList,
	"publication": KindLook, "webhooks": KindWebhooks, "productVariants": KindVariants,
	"__schema": KindIntrospection, "__type": KindIntrospection,
}

func kindOf(f *ast.Field) Kind {
	kind := cmp.Or(kinds[f.Name], KindOther)
	if (kind == KindList || kind == KindLook) && selectsListing(f) {
		return KindContent
	}
	return kind
}

func selectsListing(f *ast.Field) bool {
	return f.Name == "listing" || slices.ContainsFunc(fields(f.SelectionSet), selectsListing)
}

// A Request is one POST to the GraphQL endpoint, as it was answered.
type Request struct {
	At            time.Time
	Kind          Kind
	Operation     string // its name, where it has one; the code of an exchange
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

func (m *Marketplace) note(entry Request) {
	m.ledger.Lock()
	defer m.ledger.Unlock()
	m.seen = append(m.seen, entry)
}

// Requests lists the requests since Forget, oldest first.
func (m *Marketplace) Requests() []Request {
	m.ledger.Lock()
	defer m.ledger.Unlock()
	return slices.Clone(m.seen)
}

// Reports lists the reports since Forget, oldest first, those that were refused among them.
func (m *Marketplace) Reports() []Report {
	m.ledger.Lock()
	defer m.ledger.Unlock()
	return slices.Clone(m.told)
}

// Exchanges is the attempts to exchange a code, which stands as their operation.
func (m *Marketplace) Exchanges() []Request {
	return slices.DeleteFunc(m.Requests(), func(r Request) bool { return r.Kind != KindExchange })
}

// Totals sums up Requests by kind.
func (m *Marketplace) Totals() map[Kind]Total {
	out := map[Kind]Total{}
	for _, r := range m.Requests() {
		t := out[r.Kind]
		t.Requests++
		t.ActualCost += r.ActualCost
		if r.Throttled {
			t.Throttled++
		}
		out[r.Kind] = t
	}
	return out
}

// Forget empties the ledgers, so that what follows can be counted alone.
func (m *Marketplace) Forget() {
	m.ledger.Lock()
	defer m.ledger.Unlock()
	m.seen, m.told = nil, nil
}
