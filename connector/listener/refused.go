package listener

import (
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// RefusalsAllowed is how many deliveries in a row may fail before the marketplace deletes a
	// registration.
	RefusalsAllowed = 19

	answerWithin  = 5 * time.Second // a later answer counts as a refusal
	refusalsCount = 48 * time.Hour  // the marketplace retries for two days
)

// Refused is the deliveries that were refused in a row, as far as they arrived: the marketplace
// also counts those that did not.
type Refused struct {
	InARow int       `json:"inARow"`
	Since  time.Time `json:"since"` // the first of them
	Last   time.Time `json:"last"`
	Why    string    `json:"why"` // of the last
}

// Refusals counts the refused deliveries since the process began. Signed and unsigned ones come from
// different registrations, so each kind has a row. A row ends with an acknowledged delivery, and after
// two days without a refusal.
type Refusals struct {
	log  *slog.Logger
	told rate.Sometimes

	mu   sync.Mutex
	rows map[bool]Refused // signed: true
}

// NewRefusals makes a Refusals.
func NewRefusals(log *slog.Logger) *Refusals {
	return &Refusals{log: log, told: rate.Sometimes{Interval: time.Minute}, rows: map[bool]Refused{}}
}

// Worst is the longer row of refused deliveries, nil where there is none.
func (f *Refusals) Worst() (worst *Refused) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, signed := range []bool{true, false} {
		r := f.rows[signed]
		if time.Since(r.Last) < refusalsCount && (worst == nil || r.InARow > worst.InARow) {
			worst = &r
		}
	}
	return worst
}

// note counts a delivery by why it was refused, "" where it was acknowledged. A refused request counts
// where it has a header of the marketplace's deliveries, under any prefix. Others may send them too.
func (f *Refusals) note(r *http.Request, signed bool, why string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if why == "" {
		delete(f.rows, signed)
	}
	delivered := false
	for name, values := range r.Header {
		ours := strings.HasSuffix(name, "-Webhook-Id") || strings.HasSuffix(name, "-Event")
		delivered = delivered || ours && values[0] != ""
	}
	if why == "" || !delivered || r.Method != http.MethodPost {
		return
	}
	row, now := f.rows[signed], time.Now()
	if now.Sub(row.Last) >= refusalsCount {
		row = Refused{Since: now}
	}
	row.InARow, row.Last, row.Why = row.InARow+1, now, why
	f.rows[signed] = row
	f.told.Do(func() {
		f.log.Warn("webhooks are refused: pubsync status says what to do", "in_a_row", row.InARow,
			"allowed", RefusalsAllowed, "since", row.Since, "why", why)
	})
}
