package sandbox

import (
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// FaultKind is what goes wrong.
type FaultKind string

// The kinds of faults.
const (
	Slow        FaultKind = "slow"         // the request waits for Delay, then goes on; it may meet another fault
	ServerError FaultKind = "server-error" // Status (502 when 0) with a page of HTML
	Cut         FaultKind = "cut"          // the connection ends without an answer
	// the connection ends in the middle of the answer; the request was executed
	CutBody       FaultKind = "cut-body"
	HTML          FaultKind = "html"           // 200 with a page of HTML
	TruncatedJSON FaultKind = "truncated-json" // 200 with half of the JSON, as if it were all; the request was executed
	// Throttled whatever the bucket holds, in the form that Options.Throttle names
	ThrottledNow  FaultKind = "throttled"
	Unauthorized  FaultKind = "unauthorized"   // 401, as for a revoked token
	InternalError FaultKind = "internal-error" // 200 with null data and "Internal server error"
	EmptyList     FaultKind = "empty-list"     // publications has no entries
	// the fields that Fields names are given in another shape than the schema says
	OddShape FaultKind = "odd-shape"
	// publicationStatusUpdated is null with "Access denied"; with a Status, the whole request is
	// answered with it
	DeniedReport  FaultKind = "denied-report"
	RefusedReport FaultKind = "refused-report" // publicationStatusUpdated answers userErrors, and nothing changes
	Objection     FaultKind = "objection"      // an error with Message and no data, as of a document that is not valid
)

// A Fault hits requests by chance, or the next few of them.
type Fault struct {
	Kind        FaultKind
	Next        int     // the next so many requests that match; then the fault is spent
	Probability float64 // where Next is 0: of each request that matches, from 0 to 1
	On          []Kind  // the requests that match; empty: all
	// of ServerError, Cut, HTML and InternalError: the request is executed and only its answer is
	// lost
	Executed bool
	Delay    time.Duration
	Status   int      // of ServerError and DeniedReport
	IDs      []string // of RefusedReport and Objection: the publications that it hits; empty: all
	Message  string   // of Objection
	Fields   []string // of OddShape: names of fields of a listing or a variant
}

// Inject adds faults to those in force.
func (m *Marketplace) Inject(faults ...Fault) {
	m.faults.mu.Lock()
	defer m.faults.mu.Unlock()
	m.faults.armed = append(m.faults.armed, faults...)
}

// Heal ends all faults.
func (m *Marketplace) Heal() {
	m.faults.mu.Lock()
	defer m.faults.mu.Unlock()
	m.faults.armed = nil
}

// faults are those in force. They share one random source, so that a seed and the same requests in
// the same order lead to the same faults.
type faults struct {
	mu    sync.Mutex
	dice  *rand.Rand
	armed []Fault
}

// strike decides which faults hit a request: a delay, and at most one other.
func (f *faults) strike(kind Kind) (delay time.Duration, hit Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.armed {
		fault := &f.armed[i]
		if len(fault.On) > 0 && !slices.Contains(fault.On, kind) || hit.Kind != "" && fault.Kind != Slow {
			continue
		}
		if fault.Next == 0 && f.dice.Float64() >= fault.Probability {
			continue
		}
		if fault.Next > 0 {
			if fault.Next--; fault.Next == 0 {
				fault.Next, fault.Probability = 0, 0 // spent
			}
		}
		if fault.Kind == Slow {
			delay += fault.Delay
		} else {
			hit = *fault
		}
	}
	f.armed = slices.DeleteFunc(f.armed, func(f Fault) bool { return f.Next == 0 && f.Probability == 0 })
	return delay, hit
}
