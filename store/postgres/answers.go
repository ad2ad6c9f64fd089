package postgres

import (
	"fmt"
	"sync"
	"time"

	"github.com/pubsync/pubsync/store"
)

// answers keep what was read of an account whose lease this process has, for as long as it is told
// of each change: by its own commits, and of what others write by notifications. So an account that
// has nothing to do asks the database for nothing.
type answers struct {
	mu      sync.Mutex
	changes uint64
	unsure  time.Time
	size    int
	kept    map[question]answer
}

// A question is what a source was asked for: a page, or in from some keys.
type question struct {
	bucket   store.Bucket
	from, to string
	most     int
}

type answer struct {
	page   []store.Pair
	values map[store.Key][]byte
}

const (
	mostKept = 64 << 10 // bytes of what is kept of an account
	// unsureFor is how long nothing is kept after a commit whose end is not known: the server may
	// make it later, within the timeouts of a connection.
	unsureFor = 2 * patience
)

// forget gives up the answers, and those of views that are under way.
func (a *answers) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.changes++
	a.kept, a.size = nil, 0
}

// doubt has nothing kept for a time.
func (a *answers) doubt() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.unsure = time.Now().Add(unsureFor)
}

// reading is a source for one view above another one.
func (a *answers) reading(above store.Source) *reading {
	a.mu.Lock()
	defer a.mu.Unlock()
	return &reading{above: above, of: a, changes: a.changes, fresh: map[question]answer{}}
}

// A reading reads what is kept in the place of its source.
type reading struct {
	above   store.Source
	of      *answers
	changes uint64
	fresh   map[question]answer
}

// Read implements [store.Source].
func (r *reading) Read(keys []store.Key) (map[store.Key][]byte, error) {
	a, err := r.ask(question{from: fmt.Sprintf("%q", keys)}, func() (a answer, err error) {
		a.values, err = r.above.Read(keys)
		return a, err
	})
	return a.values, err
}

// Page implements [store.Source].
func (r *reading) Page(b store.Bucket, from, to string, most int) ([]store.Pair, error) {
	a, err := r.ask(question{b, from, to, most}, func() (a answer, err error) {
		a.page, err = r.above.Page(b, from, to, most)
		return a, err
	})
	return a.page, err
}

func (r *reading) ask(q question, read func() (answer, error)) (answer, error) {
	r.of.mu.Lock()
	a, known := r.of.kept[q]
	r.of.mu.Unlock()
	if known {
		return a, nil
	}
	a, err := read()
	if err == nil {
		r.fresh[q] = a
	}
	return a, err
}

// keep keeps what was read, unless something has changed since the view began, or it is much.
func (r *reading) keep() {
	size := 0
	for q, a := range r.fresh {
		size += len(q.from)
		for _, value := range a.values {
			size += len(value)
		}
		for _, p := range a.page {
			size += len(p.Key) + len(p.Value)
		}
	}
	r.of.mu.Lock()
	defer r.of.mu.Unlock()
	if r.of.changes != r.changes || r.of.size+size > mostKept || time.Now().Before(r.of.unsure) {
		return
	}
	if r.of.kept == nil {
		r.of.kept = map[question]answer{}
	}
	r.of.size += size
	for q, a := range r.fresh {
		r.of.kept[q] = a
	}
}
