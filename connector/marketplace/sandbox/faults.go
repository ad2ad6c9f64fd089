package sandbox

import (
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
	// of ServerError, Cut, HTML and InternalError: the request is executed, and its answer is lost
	Executed bool
	Delay    time.Duration
	Status   int      // of ServerError
	IDs      []string // of RefusedReport and Objection: the publications that it hits; empty: all
	Message  string   // of Objection
	Fields   []string // of OddShape: names of fields of a listing or a variant
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

// strike decides which fault hits a request, and lets a delay pass. A client that goes away
// meanwhile, or a marketplace that is closed, cuts the connection.
func (m *Marketplace) strike(r *http.Request, kind Kind) (hit Fault) {
	delay := time.Duration(0)
	m.locked(func() { delay, hit = m.hits(kind) })
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

// hits counts a request on the faults in force. It meets every delay, and one other fault.
func (m *Marketplace) hits(kind Kind) (delay time.Duration, hit Fault) {
	for i := range m.faults {
		fault := &m.faults[i]
		switch {
		case len(fault.On) > 0 && !slices.Contains(fault.On, kind), hit.Kind != "" && fault.Kind != Slow:
			continue
		case fault.Next == 0 && m.dice.Float64() >= fault.Probability:
			continue
		case fault.Next == 1: // spent
			fault.Next, fault.Probability = 0, 0
		case fault.Next > 1:
			fault.Next--
		}
		if fault.Kind == Slow {
			delay += fault.Delay
		} else {
			hit = *fault
		}
	}
	m.faults = slices.DeleteFunc(m.faults, func(f Fault) bool { return f.Next == 0 && f.Probability == 0 })
	return delay, hit
}
