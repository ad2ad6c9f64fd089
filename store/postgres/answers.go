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
	kept    map[string]answer // by what a source was asked for
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
	return &reading{above, a, a.changes}
}

// A reading reads what is kept in the place of its source.
type reading struct {
	above   store.Source
	of      *answers
	changes uint64 // when the view began
}

// Read implements [store.Source].
func (r *reading) Read(keys []store.Key) (map[store.Key][]byte, error) {
	a, err := r.ask(fmt.Sprintf("%q", keys), func() (a answer, err error) {
		a.values, err = r.above.Read(keys)
		return a, err
	})
	return a.values, err
}

// Page implements [store.Source].
func (r *reading) Page(b store.Bucket, from, to string, most int) ([]store.Pair, error) {
	a, err := r.ask(fmt.Sprintf("%q", []any{b, from, to, most}), func() (a answer, err error) {
		a.page, err = r.above.Page(b, from, to, most)
		return a, err
	})
	return a.page, err
}

// ask is the answer to a question. One that was read is kept, unless something has changed since the
// view began, or it is much.
func (r *reading) ask(question string, read func() (answer, error)) (answer, error) {
	r.of.mu.Lock()
	a, known := r.of.kept[question]
	r.of.mu.Unlock()
	if known {
		return a, nil
	}
	a, err := read()
	if err != nil {
		return a, err
	}
	size := len(question)
	for _, value := range a.values {
		size += len(value)
	}
	for _, p := range a.page {
		size += len(p.Key) + len(p.Value)
	}
	r.of.mu.Lock()
	defer r.of.mu.Unlock()
	if r.of.changes == r.changes && r.of.size+size <= mostKept && time.Now().After(r.of.unsure) {
		if r.of.kept == nil {
			r.of.kept = map[string]answer{}
		}
		r.of.kept[question], r.of.size = a, r.of.size+size
	}
	return a, nil
}
