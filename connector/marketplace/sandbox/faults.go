package sandbox

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
)

// FaultKind is what goes wrong.
type FaultKind string

// The kinds of faults.
const (
	Slow          FaultKind = "delay"          // waits for Delay; another fault may follow
	ServerError   FaultKind = "server-error"   // Status, or 502, with a page of HTML
	Cut           FaultKind = "cut"            // no answer
	HTML          FaultKind = "html"           // 200 with a page of HTML
	ThrottledNow  FaultKind = "throttle"       // throttled whatever the bucket holds
	InternalError FaultKind = "internal-error" // 200 with null data and "Internal server error"
	EmptyList     FaultKind = "empty-list"     // publications has no entries
	OddShape      FaultKind = "odd"            // Fields have another shape than the schema's
	DeniedReport  FaultKind = "deny"           // publicationStatusUpdated is null with "Access denied"
	RefusedReport FaultKind = "refuse"         // publicationStatusUpdated has userErrors and no effect
	Objection     FaultKind = "object"         // an error with Message, as of an invalid document
)

// A Fault hits requests by chance, or the next few.
type Fault struct {
	Kind        FaultKind
	Next        int     // so many matching requests, then it is spent
	Probability float64 // of each, where Next is 0
	On          []Kind  // matching; empty: all
	Executed    bool    // of ServerError, Cut, HTML and InternalError: only the answer is lost
	Delay       time.Duration
	Status      int      // of ServerError
	IDs         []string // of RefusedReport and Objection; empty: all
	Message     string   // of Objection
	Fields      []string // of OddShape, in a listing or variant
}

func (f Fault) names(id string) bool { return len(f.IDs) == 0 || slices.Contains(f.IDs, id) }

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

// strike waits for all delays and returns one other fault. A client that goes away, or Close, cuts the connection.
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
			if fault.Next--; fault.Next == 0 {
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
	KindReport        Kind = "report" // publicationStatusUpdated
	KindWebhookCreate Kind = "webhook-create"
	KindWebhooks      Kind = "webhooks"
	KindContent       Kind = "content" // reads a publication's listing
	KindList          Kind = "list"    // publications, no listing
	KindLook          Kind = "look"    // publication, no listing
	KindOther         Kind = "other"
	KindIntrospection Kind = "introspection"
	KindExchange      Kind = "exchange"
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

// A Request is for data or for a token.
type Request struct {
	Kind       Kind
	Operation  string // or the code of an exchange
	ActualCost int
	Content    []string // publications whose listing was read
}

// A Report is a publicationStatusUpdated as read.
type Report struct {
	ID         string // known or not
	Status     string // lower case
	ProductURL string
	Refused    string // the user error; empty: it took effect
}

// String tells of the report.
func (r Report) String() string {
	text := fmt.Sprintf("report %s of %s %s", r.Status, r.ID, r.ProductURL)
	if r.Refused != "" {
		text += " is refused: " + r.Refused
	}
	return text
}

// mostNoted bounds the ledgers.
const mostNoted = 100_000

// Requests lists the requests since Forget, oldest first, of some kinds or of all.
func (m *Marketplace) Requests(of ...Kind) (out []Request) {
	m.locked(func() { out = slices.Clone(m.seen) })
	return slices.DeleteFunc(out, func(r Request) bool { return len(of) > 0 && !slices.Contains(of, r.Kind) })
}

// Reports lists the reports since Forget, oldest first, with refused ones.
func (m *Marketplace) Reports() (out []Report) {
	m.locked(func() { out = slices.Clone(m.told) })
	return out
}

// Forget empties the ledgers.
func (m *Marketplace) Forget() { m.locked(func() { m.seen, m.told = nil, nil }) }
