package sandbox

import (
	"cmp"
	"slices"

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
	KindVariants      Kind = "variants"       // productVariants
	KindOther         Kind = "other"          // all else
	KindIntrospection Kind = "introspection"
	KindExchange      Kind = "exchange" // of a code for a token, during an installation
	KindInvalid       Kind = "invalid"  // did not parse, validate or authenticate
)

var kinds = map[string]Kind{
	"publicationStatusUpdated": KindReport, "webhookCreate": KindWebhookCreate, "publications": KindList,
	"publication": KindLook, "productVariants": KindVariants,
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

// A Request is one that a client made for data, or for a token.
type Request struct {
	Kind       Kind
	Operation  string // its name, where it has one; the code of an exchange
	ActualCost int
	Content    []string // publications whose listing was read
}

// A Report is one publicationStatusUpdated, as the marketplace read it.
type Report struct {
	ID         string // of the publication, known or not
	Status     string // lower case
	ProductURL string
	Refused    string // the user error it was answered with; empty when it took effect
}

// recent is a ledger with room for one more entry: of a hundred thousand the later half stays.
func recent[T any](all []T) []T {
	if len(all) < 100_000 {
		return all
	}
	return slices.Clone(all[len(all)/2:])
}

// Requests lists the requests since Forget, oldest first; where kinds are given, only theirs.
func (m *Marketplace) Requests(of ...Kind) (out []Request) {
	m.locked(func() { out = slices.Clone(m.seen) })
	return slices.DeleteFunc(out, func(r Request) bool { return len(of) > 0 && !slices.Contains(of, r.Kind) })
}

// Reports lists the reports since Forget, oldest first, those that were refused among them.
func (m *Marketplace) Reports() (out []Report) {
	m.locked(func() { out = slices.Clone(m.told) })
	return out
}

// Forget empties the ledgers, so that what follows can be counted alone.
func (m *Marketplace) Forget() { m.locked(func() { m.seen, m.told = nil, nil }) }
