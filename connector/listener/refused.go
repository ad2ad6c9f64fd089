package listener

import (
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/health"
)

const (
	// RefusalsAllowed is how many deliveries in a row may fail before the marketplace deletes a
	// registration.
	RefusalsAllowed = 19

	// answerWithin is how long the marketplace waits for an answer. A later one counts as a
	// refusal.
	answerWithin = 5 * time.Second

	// refusalsCount is how long refusals count after the last of them: the marketplace retries for
	// two days, and has given up or succeeded since.
	refusalsCount = 48 * time.Hour

	// tellEvery is how many refusals in a row lead to a line in the log.
	tellEvery = 5
)

// Refused is the deliveries that were refused in a row, as far as they arrived: the marketplace
// also counts those that did not. The row ends with an acknowledged delivery, with a new
// registration, and after two days without a refusal.
type Refused struct {
	InARow int       `json:"inARow"`
	Since  time.Time `json:"since"` // the first of them
	Last   time.Time `json:"last"`
	Why    string    `json:"why"` // of the last
}

// A wayIn is one of the ways in which deliveries come. Each has a row of its own.
type wayIn string

const (
	signedWay wayIn = "signed"
	hintWay   wayIn = "unsigned" // at the path token
	// at the address of signed ones, which refuses them: they come from another registration
	unsignedWay wayIn = "not signed"
)

func wayOf(path string) wayIn {
	if strings.HasPrefix(path, "/webhooks/") {
		return hintWay
	}
	return signedWay
}

// Refusals counts the refused deliveries for each way in, in memory alone.
type Refusals struct {
	log      *slog.Logger
	told     health.LogLimiter
	unsigned health.LogLimiter

	mu  sync.Mutex
	way map[wayIn]Refused
}

// NewRefusals makes a Refusals.
func NewRefusals(log *slog.Logger) *Refusals { return &Refusals{log: log, way: map[wayIn]Refused{}} }

// worst is the longest row that still counts.
func worst(way map[wayIn]Refused, now time.Time) (most *Refused) {
	for _, r := range way {
		if now.Sub(r.Last) < refusalsCount && (most == nil || r.InARow > most.InARow) {
			most = &r
		}
	}
	return most
}

// Worst is the longest row of refused deliveries, nil where the last delivery of each way in was
// acknowledged.
func (f *Refusals) Worst() *Refused {
	f.mu.Lock()
	defer f.mu.Unlock()
	return worst(f.way, time.Now())
}

// looksDelivered reports whether a request may be the marketplace's: it has one of the headers of
// its deliveries. Others may send them too.
func looksDelivered(r *http.Request, prefix string) bool {
	return r.Method == http.MethodPost &&
		(r.Header.Get(prefix+"-Webhook-Id") != "" || r.Header.Get(prefix+"-Event") != "")
}

func (f *Refusals) refused(in wayIn, why string, now time.Time) {
	r := f.count(in, why, now)
	if in == unsignedWay {
		f.tellUnsigned(r, now)
	}
	if r.InARow%tellEvery != 0 {
		return
	}
	if untold, ok := f.told.Allow(now); ok {
		f.log.Error(
			"webhooks are refused, the marketplace deletes their registration after too many in a row",
			"in_a_row", r.InARow, "allowed", RefusalsAllowed, "since", r.Since, "why", why, "untold", untold,
		)
	}
}

// count counts a refused delivery, and returns its row.
func (f *Refusals) count(in wayIn, why string, now time.Time) Refused {
	f.mu.Lock()
	defer f.mu.Unlock()
	r, counts := f.way[in]
	if !counts || now.Sub(r.Last) >= refusalsCount {
		r = Refused{Since: now}
	}
	r.InARow++
	r.Last, r.Why = now, why
	f.way[in] = r
	return r
}

// tellUnsigned logs what to do about deliveries without a signature, with the first of a row and
// with each fifth.
func (f *Refusals) tellUnsigned(r Refused, now time.Time) {
	if r.InARow%tellEvery > 1 {
		return
	}
	if untold, ok := f.unsigned.Allow(now); ok {
		f.log.Warn(
			"webhooks arrive that are not signed",
			"advice", "those that no app registered never are: set PUBSYNC_WEBHOOK_PATH_TOKEN, "+
				"and give the marketplace the address that ends in it",
			"in_a_row", r.InARow, "since", r.Since, "untold", untold,
		)
	}
}

func (f *Refusals) acknowledged(in wayIn) {
	ends := []wayIn{in}
	if in == hintWay { // unsigned ones now come to the address that accepts them
		ends = append(ends, unsignedWay)
	}
	f.end(ends...)
}

// end ends rows.
func (f *Refusals) end(ways ...wayIn) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, in := range ways {
		delete(f.way, in)
	}
}

// Registered ends the row of an address that was registered anew: the marketplace counts from zero.
// A proxy may put a prefix before the path.
func (f *Refusals) Registered(path string) {
	f.end(wayOf(path[max(strings.LastIndex(path, "/webhooks/"), 0):]))
}
