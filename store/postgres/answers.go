package postgres

import (
	"sync"
	"time"

	"github.com/pubsync/pubsync/store"
)

// An answers keeps what was read of an account for as long as it cannot have changed. The owner of
// the lease alone writes what there is of an account, but for the marks that any process accepts,
// and those are told by NOTIFY. So an answer stands until this process writes, is told of a mark,
// or loses its lease. An account that has nothing to do asks the database for nothing.
type answers struct {
	mu     sync.Mutex
	unsure time.Time
	about  [topics]struct {
		changes uint64 // how often answers were forgotten
		kept    map[any]answer
	}
}

// A topic is what questions are about. A write changes the answers to those of its own alone: a
// sweep that finds nothing new writes a cursor and some facts, and no worker asks again what is due.
type topic int

const (
	aboutPublications topic = iota
	aboutCursors
	aboutFacts
	topics
)

// The questions about one name.
type (
	factOf   struct{ name string }
	cursorOf struct{ name string }
)

// An answer is what was read.
type answer struct {
	value       any
	from, until store.Instant // of the moments that were asked about; until 0 is no end
}

// unsureFor is how long nothing is kept after a write whose end is not known: the server may commit
// it later, within the timeouts of a connection.
const unsureFor = 2 * patience

// forget gives up the answers about a topic, and those of readings that are under way. With
// questions it keeps the answers to all others.
func (a *answers) forget(t topic, questions ...any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	about := &a.about[t]
	about.changes++
	if len(questions) == 0 {
		clear(about.kept)
	}
	for _, q := range questions {
		delete(about.kept, q)
	}
}

// forgetAll gives up all answers.
func (a *answers) forgetAll() {
	for t := range topics {
		a.forget(t)
	}
}

// doubt has nothing kept for a time.
func (a *answers) doubt() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.unsure = time.Now().Add(unsureFor)
}

// find is the answer to a question about a moment; of one that is about no moment, that is 0.
// Without one, begun is for keep.
func (a *answers) find(t topic, question any, at store.Instant) (value any, known bool, begun uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	k, known := a.about[t].kept[question]
	if known && (at < k.from || k.until != 0 && at >= k.until) {
		known = false
	}
	return k.value, known, a.about[t].changes
}

// keep keeps an answer that was read since find, unless something has changed meanwhile.
func (a *answers) keep(t topic, question any, k answer, begun uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	about := &a.about[t]
	if about.changes != begun || time.Now().Before(a.unsure) {
		return
	}
	if about.kept == nil {
		about.kept = map[any]answer{}
	}
	about.kept[question] = k
}

// told reports whether this process learns of each change of the account.
func (s *Store) told() bool {
	return s.lease != nil && !s.closed.Load() && s.lease.Held() && s.db.listeners.Load() > 0
}

// ask answers a question about a moment, from what is kept or by reading. keep is false of an
// answer that may change unnoticed.
func ask[T any](
	s *Store,
	t topic,
	question any,
	at store.Instant,
	read func() (v T, until store.Instant, keep bool, err error),
) (
	T, error,
) {
	told := s.told()
	value, known, begun := s.answers.find(t, question, at)
	if v, ok := value.(T); told && known && ok {
		return v, nil
	}
	v, until, keep, err := read()
	if told && keep && err == nil {
		s.answers.keep(t, question, answer{v, at, until}, begun)
	}
	return v, err
}
