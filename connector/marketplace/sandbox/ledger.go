package sandbox

import (
	"cmp"
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
	Operation     string // its name, where it has one; the code of an exchange
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
func (m *Marketplace) Requests() []Request { return list(&m.ledger, &m.ledger.requests) }

// Reports lists the latest reports of all publications, oldest first, those among them that were
// refused.
func (m *Marketplace) Reports() []Report { return list(&m.ledger, &m.ledger.reports) }

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
	m.ledger.requests, m.ledger.reports = nil, nil
}

type ledger struct {
	sync.Mutex
	requests []Request
	reports  []Report
}

// mostEntries bounds what a ledger keeps.
const mostEntries = 200_000

func note[T any](l *ledger, entries *[]T, entry T) {
	l.Lock()
	defer l.Unlock()
	if len(*entries) == mostEntries {
		*entries = slices.Clone((*entries)[mostEntries/2:])
	}
	*entries = append(*entries, entry)
}

func list[T any](l *ledger, entries *[]T) []T {
	l.Lock()
	defer l.Unlock()
	return slices.Clone(*entries)
}

// classify tells what an operation is for.
func classify(fields []*field) Kind {
	rank := []Kind{
		KindReport, KindWebhookCreate, KindContent, KindList, KindLook, KindWebhooks, KindVariants, KindOther,
		KindIntrospection,
	}
	best := len(rank)
	for _, f := range fields {
		best = min(best, slices.Index(rank, kindOf(f)))
	}
	return append(rank, KindOther)[best]
}

// kinds are those of root fields. Others are KindOther.
var kinds = map[string]Kind{
	"publicationStatusUpdated": KindReport, "webhookCreate": KindWebhookCreate, "publications": KindList,
	"publication": KindLook, "webhooks": KindWebhooks, "productVariants": KindVariants,
	"__schema": KindIntrospection, "__type": KindIntrospection,
}

func kindOf(f *field) Kind {
	kind := cmp.Or(kinds[f.Name], KindOther)
	if (kind == KindList || kind == KindLook) && selectsListing(f.sub) {
		return KindContent
	}
	return kind
}

func selectsListing(fields []*field) bool {
	return slices.ContainsFunc(fields, func(f *field) bool { return f.Name == "listing" || selectsListing(f.sub) })
}
