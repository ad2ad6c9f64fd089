package store

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A Tx is a transaction that keeps its writes in memory until the commit. It can be the source of a nested one.
type Tx struct {
	source Source // nil: an empty one
	read   map[Key][]byte
	writes map[Bucket]*sorted
	err    error
}

// NewTx begins a transaction. read has known values, nil for a key without one.
func NewTx(source Source, read map[Key][]byte) *Tx {
	if read == nil {
		read = map[Key][]byte{}
	}
	return &Tx{source: source, read: read, writes: map[Bucket]*sorted{}}
}

// Err returns the first error, after which the transaction reads nothing and is not committed.
func (tx *Tx) Err() error { return tx.err }

func (tx *Tx) fail(err error) {
	if tx.err == nil {
		tx.err = err
	}
}

// Run runs fn in the transaction.
func (tx *Tx) Run(fn func(*Tx) error) error {
	err := fn(tx)
	return cmp.Or(tx.err, err)
}

// Get returns the values under keys, without missing ones, in one round trip at most.
func (tx *Tx) Get(keys ...Key) map[Key][]byte {
	values := make(map[Key][]byte, len(keys))
	var missing []Key
	for _, k := range keys {
		value, known := tx.read[k]
		if w := tx.writes[k.Bucket]; w != nil {
			if written, is := w.values[k.Key]; is {
				value, known = written, true
			}
		}
		if value != nil {
			values[k] = value
		} else if !known {
			missing = append(missing, k)
		}
	}
	if len(missing) > 0 && tx.source != nil && tx.err == nil {
		found, err := tx.source.Read(missing)
		tx.fail(err)
		for _, k := range missing {
			if tx.read[k] = found[k]; found[k] != nil {
				values[k] = found[k]
			}
		}
	}
	return values
}

// Read implements [Source].
func (tx *Tx) Read(keys []Key) (map[Key][]byte, error) { return tx.Get(keys...), tx.err }

// Put writes a value, which its caller changes no more. nil deletes; an empty value is kept.
func (tx *Tx) Put(k Key, value []byte) {
	if tx.writes[k.Bucket] == nil {
		tx.writes[k.Bucket] = &sorted{values: map[string][]byte{}}
	}
	tx.writes[k.Bucket].put(k.Key, value, tx.source != nil)
}

const pageSize = 256

// Scan ranges over pairs as [Source] orders them. Its loop may read and write, and meets what it writes ahead.
func (tx *Tx) Scan(b Bucket, from, to string) iter.Seq[Pair] {
	return func(yield func(Pair) bool) {
		var page []Pair
		at := from
		for more := tx.source != nil; tx.err == nil; {
			if len(page) == 0 && more {
				var err error
				page, err = tx.source.Page(b, at, to, pageSize)
				if tx.fail(err); err != nil {
					return
				}
				if more = len(page) == pageSize; more {
					at = page[len(page)-1].Key + "\x00"
				}
			}
			next, written := tx.writes[b].from(from)
			written = written && (to == "" || next.Key < to)
			switch {
			case written && (len(page) == 0 || next.Key <= page[0].Key):
				if len(page) > 0 && next.Key == page[0].Key {
					page = page[1:]
				}
			case len(page) > 0:
				next, page = page[0], page[1:]
			default:
				return
			}
			from = next.Key + "\x00"
			if next.Value != nil && !yield(next) {
				return
			}
		}
	}
}

// Page implements [Source].
func (tx *Tx) Page(b Bucket, from, to string, most int) (page []Pair, err error) {
	for p := range tx.Scan(b, from, to) {
		if page = append(page, p); len(page) == most {
			break
		}
	}
	return page, tx.err
}

// Try runs fn in a nested transaction. If fn fails or panics, it writes nothing.
func (tx *Tx) Try(fn func(*Tx) error) error {
	within := NewTx(tx, nil)
	if err := within.Run(fn); err != nil {
		return err
	}
	for k, value := range within.Writes() {
		tx.Put(k, value)
	}
	return nil
}

// Writes ranges over the writes by bucket and key. A nil value deletes.
func (tx *Tx) Writes() iter.Seq2[Key, []byte] {
	return func(yield func(Key, []byte) bool) {
		for _, b := range Buckets {
			if w := tx.writes[b]; w != nil {
				for _, key := range w.keys {
					if !yield(Key{b, key}, w.values[key]) {
						return
					}
				}
			}
		}
	}
}

type sorted struct {
	keys   []string
	values map[string][]byte
}

// put keeps a nil value if known is set: it hides what the source has.
func (s *sorted) put(key string, value []byte, known bool) {
	i, had := slices.BinarySearch(s.keys, key)
	switch {
	case value == nil && !known && had:
		s.keys = slices.Delete(s.keys, i, i+1)
		delete(s.values, key)
	case value != nil || known:
		if !had {
			s.keys = slices.Insert(s.keys, i, key)
		}
		s.values[key] = value
	}
}

func (s *sorted) from(key string) (p Pair, ok bool) {
	if s == nil {
		return p, false
	}
	i, _ := slices.BinarySearch(s.keys, key)
	if i == len(s.keys) {
		return p, false
	}
	return Pair{s.keys[i], s.values[s.keys[i]]}, true
}

// mostCalls bounds a commit, so that the first of a burst does not wait for the last.
const mostCalls = 512

// A Group gathers calls of [KV.Update] into shared transactions, one at a time.
type Group struct {
	commit  func([]*Write) error
	turn    chan struct{} // full while a commit is under way
	observe atomic.Pointer[func(took time.Duration)]

	mu      sync.Mutex
	waiting []*Write
	refuses error // nil: it takes calls
	calls   sync.WaitGroup
}

// A Write is a call of [KV.Update] that waits for its commit.
type Write struct {
	Declared []Key
	fn       func(*Tx) error
	err      error
	panicked any
	done     chan struct{}
}

// Run runs the call, whose caller learns of an error or a panic after the commit.
func (w *Write) Run(tx *Tx) {
	defer func() { w.panicked = recover() }()
	w.err = tx.Try(w.fn)
}

// NewGroup makes a group. commit runs the calls in one transaction, and its error is that of each.
func NewGroup(commit func([]*Write) error) *Group {
	return &Group{commit: commit, turn: make(chan struct{}, 1)}
}

// ReadOnly makes a group that answers each call with ErrReadOnly.
func ReadOnly() *Group { return &Group{refuses: ErrReadOnly} }

// Update implements [KV].
func (g *Group) Update(ctx context.Context, declared []Key, fn func(*Tx) error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	w := &Write{Declared: declared, fn: fn, done: make(chan struct{})}
	g.mu.Lock()
	if g.refuses != nil {
		g.mu.Unlock()
		return g.refuses
	}
	g.waiting = append(g.waiting, w)
	g.calls.Add(1)
	g.mu.Unlock()
	defer g.calls.Done()
	for {
		select {
		case <-w.done:
			if w.panicked != nil {
				panic(w.panicked)
			}
			return w.err
		case g.turn <- struct{}{}:
			g.lead()
		}
	}
}

// lead yields before the commit, so that others can join without a timer.
func (g *Group) lead() {
	defer func() { <-g.turn }()
	runtime.Gosched()
	g.mu.Lock()
	n := min(len(g.waiting), mostCalls)
	calls := g.waiting[:n:n]
	g.waiting = g.waiting[n:]
	g.mu.Unlock()
	if n == 0 {
		return
	}
	begun, err := time.Now(), errors.New("the commit did not come to an end") // if commit panics
	defer func() {
		for _, c := range calls {
			if err != nil {
				c.err, c.panicked = err, nil
			}
			close(c.done)
		}
	}()
	err = g.commit(calls)
	if observe := g.observe.Load(); err == nil && observe != nil {
		(*observe)(time.Since(begun))
	}
}

// Observe has f called after each commit that succeeds.
func (g *Group) Observe(f func(took time.Duration)) { g.observe.Store(&f) }

// Close refuses further calls and waits for those under way.
func (g *Group) Close() {
	g.mu.Lock()
	if g.refuses == nil {
		g.refuses = ErrClosed
	}
	g.mu.Unlock()
	g.calls.Wait()
}
