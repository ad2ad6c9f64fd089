package sandbox

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
)

// FaultKind is what goes wrong.
type FaultKind string

// The kinds of faults.
const (
	Slow          FaultKind = "delay"          // the request waits for Delay, then goes on; it may meet another fault
	ServerError   FaultKind = "server-error"   // Status (502 when 0) with a page of HTML
	Cut           FaultKind = "cut"            // the connection ends without an answer
	CutBody       FaultKind = "cut-body"       // the connection ends in the middle of the answer to an executed request
	HTML          FaultKind = "html"           // 200 with a page of HTML
	TruncatedJSON FaultKind = "truncated-json" // 200 with half of the JSON, as if it were all; the request was executed
	ThrottledNow  FaultKind = "throttle"       // throttled whatever the bucket holds
	Unauthorized  FaultKind = "unauthorized"   // 401, as for a revoked token
	InternalError FaultKind = "internal-error" // 200 with null data and "Internal server error"
	EmptyList     FaultKind = "empty-list"     // publications has no entries
	OddShape      FaultKind = "odd"            // the fields that Fields names have another shape than the schema says
	DeniedReport  FaultKind = "deny"           // publicationStatusUpdated is null with "Access denied"
	RefusedReport FaultKind = "refuse"         // publicationStatusUpdated answers userErrors, and nothing changes
	Objection     FaultKind = "object"         // an error with Message and no data, as of a document that is not valid
)

// A Fault hits requests by chance, or the next few of them.
type Fault struct {
	Kind        FaultKind
	Next        int     // the next so many requests that match; then the fault is spent
	Probability float64 // where Next is 0: of each request that matches, from 0 to 1
	On          []Kind  // the requests that match; empty: all
	Executed    bool    // of ServerError, Cut, HTML and InternalError: executed, and the answer is lost
	Delay       time.Duration
	Status      int      // of ServerError
	IDs         []string // of RefusedReport and Objection: the publications that it hits; empty: all
	Message     string   // of Objection
	Fields      []string // of OddShape: names of fields of a listing or a variant
}

func (f Fault) names(id string) bool { return len(f.IDs) == 0 || slices.Contains(f.IDs, id) }

// hit reports whether a root field names a publication that the fault hits.
func (x *execution) hit(f *ast.Field) bool {
	a := x.args(f)
	return x.fault.names(a.text("id")) || x.fault.names(a.input().text("id"))
}

// Inject adds faults to those in force.
func (m *Marketplace) Inject(faults ...Fault) {
	m.locked(func() { m.faults = append(m.faults, faults...) })
}

// Heal ends all faults.
func (m *Marketplace) Heal() { m.locked(func() { m.faults = nil }) }

// strike counts a request on the faults in force: it meets every delay, which it lets pass, and one
// other fault. A client that goes away meanwhile, or a marketplace that is closed, cuts the connection.
func (m *Marketplace) strike(r *http.Request, kind Kind) (hit Fault) {
	delay := time.Duration(0)
	m.locked(func() {
		for i := range m.faults {
			fault := &m.faults[i]
			if len(fault.On) > 0 && !slices.Contains(fault.On, kind) || hit.Kind != "" && fault.Kind != Slow ||
				fault.Next == 0 && m.dice.Float64() >= fault.Probability {
				continue
			}
			if fault.Kind == Slow {
				delay += fault.Delay
			} else {
				hit = *fault
			}
			if fault.Next--; fault.Next == 0 { // spent
				fault.Probability = 0
			}
			fault.Next = max(fault.Next, 0)
		}
		m.faults = slices.DeleteFunc(m.faults, func(f Fault) bool { return f.Next == 0 && f.Probability == 0 })
	})
	if delay > 0 {
		select {
		case <-time.After(delay):
		case <-r.Context().Done():
			hit = Fault{Kind: Cut}
		case <-m.closed.Done():
			hit = Fault{Kind: Cut}
		}
	}
	return hit
}

// Kind is what a request is for, by its first root field.
type Kind string

// The kinds of requests.
const (
	KindReport        Kind = "report"         // publicationStatusUpdated
	KindWebhookCreate Kind = "webhook-create" // webhookCreate
	KindWebhooks      Kind = "webhooks"       // webhooks
	KindContent       Kind = "content"        // reads a publication's listing
	KindList          Kind = "list"           // publications without their listings
	KindLook          Kind = "look"           // publication without its listing
	KindOther         Kind = "other"          // all else
	KindIntrospection Kind = "introspection"
	KindExchange      Kind = "exchange" // of a code for a token, during an installation
)

var kinds = map[string]Kind{
	"publicationStatusUpdated": KindReport, "webhookCreate": KindWebhookCreate, "webhooks": KindWebhooks,
	"publications": KindList, "publication": KindLook, "productVariants": "variants",
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

// mostNoted bounds the ledgers.
const mostNoted = 100_000

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
