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

	answerWithin  = 5 * time.Second // a later answer counts as a refusal
	refusalsCount = 48 * time.Hour  // the marketplace retries for two days
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

// The ways in which deliveries come. Each has a row of its own.
const (
	signedWay = "signed"
	hintWay   = "hint" // at the path token
	bareWay   = "bare" // not signed, at the address of signed ones: from another registration
)

func wayOf(path string) string {
	if strings.HasPrefix(path, "/webhooks/") {
		return hintWay
	}
	return signedWay
}

// Refusals counts the refused deliveries for each way, since the process began.
type Refusals struct {
	log  *slog.Logger
	told health.LogLimiter

	mu   sync.Mutex
	rows map[string]Refused
}

// NewRefusals makes a Refusals.
func NewRefusals(log *slog.Logger) *Refusals { return &Refusals{log: log, rows: map[string]Refused{}} }

// Worst is the longest row of refused deliveries, nil where the last delivery of each way was
// acknowledged.
func (f *Refusals) Worst() (worst *Refused) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, way := range []string{signedWay, hintWay, bareWay} {
		r := f.rows[way]
		if time.Since(r.Last) < refusalsCount && (worst == nil || r.InARow > worst.InARow) {
			worst = &r
		}
	}
	return worst
}

// looksDelivered reports whether a request may be the marketplace's: it has one of the headers of
// its deliveries, under any prefix. Others may send them too.
func looksDelivered(r *http.Request) bool {
	for name, values := range r.Header {
		if (strings.HasSuffix(name, "-Webhook-Id") || strings.HasSuffix(name, "-Event")) && values[0] != "" {
			return r.Method == http.MethodPost
		}
	}
	return false
}

// refused counts a refused delivery, and tells of it.
func (f *Refusals) refused(way, why string, now time.Time) {
	f.mu.Lock()
	r := f.rows[way]
	if now.Sub(r.Last) >= refusalsCount {
		r = Refused{Since: now}
	}
	r.InARow, r.Last, r.Why = r.InARow+1, now, why
	f.rows[way] = r
	f.mu.Unlock()
	advice := "the marketplace deletes a registration after too many in a row"
	if way == bareWay {
		advice = "webhooks that no app registered are never signed: set PUBSYNC_WEBHOOK_PATH_TOKEN, and give the " +
			"marketplace the address that ends in it"
	}
	if untold, ok := f.told.Allow(now); ok {
		f.log.Warn("webhooks are refused", "in_a_row", r.InARow, "allowed", RefusalsAllowed, "since", r.Since, "why", why,
			"untold", untold, "advice", advice)
	}
}

// end ends the row of a way. Where hints are acknowledged, unsigned ones now come to the address that
// accepts them.
func (f *Refusals) end(way string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if delete(f.rows, way); way == hintWay {
		delete(f.rows, bareWay)
	}
}
