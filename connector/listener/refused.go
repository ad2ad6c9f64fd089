package listener

import (
	"net/http"
	"strings"
	"sync"
	"time"
)

// RefusalsAllowed is how many deliveries in a row may fail before the marketplace deletes a registration.
const RefusalsAllowed = 19

// answerWithin is for how long the marketplace waits for an answer. A later one counts as none.
const answerWithin = 5 * time.Second

// Refused is the deliveries that were refused in a row, as far as they arrived: the marketplace counts those too that did not.
type Refused struct {
	InARow int
	Since  time.Time // the first of them
	Last   time.Time
	Why    string // of the last
}

// refusals counts them for each way in: one that is refused says nothing about the other.
type refusals struct {
	mu  sync.Mutex
	way map[bool]*Refused // by whether it is the way of signed webhooks
}

// looksDelivered reports whether a request may be the marketplace's: it has one of the headers of its deliveries. Others may send them too.
func looksDelivered(r *http.Request, prefix string) bool {
	return r.Method == http.MethodPost && (r.Header.Get(prefix+"-Webhook-Id") != "" || r.Header.Get(prefix+"-Event") != "")
}

func signedWay(r *http.Request) bool { return !strings.HasPrefix(r.URL.Path, "/webhooks/") }

func (f *refusals) refused(r *http.Request, why string, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.way == nil {
		f.way = map[bool]*Refused{}
	}
	way := f.way[signedWay(r)]
	if way == nil {
		way = &Refused{Since: now}
		f.way[signedWay(r)] = way
	}
	way.InARow++
	way.Last, way.Why = now, why
}

func (f *refusals) acknowledged(r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.way, signedWay(r))
}

// Refused is the way in with the most deliveries that were refused in a row, nil where the last one of each was acknowledged.
func (h *Webhooks) Refused() *Refused {
	f := &h.failing
	f.mu.Lock()
	defer f.mu.Unlock()
	var worst *Refused
	for _, way := range f.way {
		if worst == nil || way.InARow > worst.InARow {
			worst = &Refused{InARow: way.InARow, Since: way.Since, Last: way.Last, Why: way.Why}
		}
	}
	return worst
}
