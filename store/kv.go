package store

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// A Bucket is a part of a KV with its own order of keys.
type Bucket string

// The buckets, with their keys and values. A value is CBOR (RFC 8949), whose keys are the numbers of the struct tags,
// and a checksum. A number is never reused.
const (
	BucketMeta        Bucket = "meta"        // name: a fact
	bucketPublication Bucket = "publication" // id: Record
	bucketMark        Bucket = "mark"        // id: Mark
	bucketHinted      Bucket = "hinted"      // id: Mark of ClassHint
	bucketOutbox      Bucket = "outbox"      // id: Report
	bucketEvent       Bucket = "event"       // id: []Event
	bucketCursor      Bucket = "cursor"      // name: Cursor
	bucketIndex       Bucket = "index"       // property, id: nothing
	bucketSKU         Bucket = "sku"         // SKUKey: the publication that holds it
	bucketDue         Bucket = "due"         // class, time, id: nothing
	bucketSeen        Bucket = "seen"        // id: nothing; met by the enumeration under way
	bucketRemoved     Bucket = "removed"     // time, id: nothing
)

// Buckets lists all buckets. The values of the plain ones have no checksum.
var (
	Buckets = append([]Bucket{
		BucketMeta, bucketPublication, bucketMark, bucketHinted, bucketOutbox, bucketEvent, bucketCursor,
	}, plain...)
	plain = []Bucket{bucketIndex, bucketSKU, bucketDue, bucketSeen, bucketRemoved}
)

// A Key is the place of a value. Key is not empty, and at most 2 KiB long.
type Key struct {
	Bucket Bucket
	Key    string
}

// A Pair is a key and its value.
type Pair struct {
	Key   string
	Value []byte
}

// A KV keeps values by key in buckets. Any goroutine may use it. If the context ends before the transaction
// begins, the call returns the context's error, see [Stopped]. A later end changes nothing.
type KV interface {
	// View runs fn on a snapshot. fn may run more than once, and the last run counts.
	View(ctx context.Context, fn func(*Tx) error) error
	// Update runs fn in a transaction, and returns once that is durable. It reads the declared keys ahead. If fn
	// fails or panics, nothing is written. fn may run more than once, and the last run counts.
	Update(ctx context.Context, declared []Key, fn func(*Tx) error) error
	// Path returns where the store is, the same for each process: the absolute path of a file without symbolic
	// links, or the address of a database without secrets; "" in memory.
	Path() string
	Close() error
}

// A Source is what a KV holds when a transaction begins. Its values are not changed later.
type Source interface {
	// Read returns the values under keys, without those that do not exist.
	Read(keys []Key) (map[Key][]byte, error)
	// Page returns the first pairs of a bucket with from <= key < to, by bytes. An empty to is no bound.
	Page(b Bucket, from, to string, most int) ([]Pair, error)
}

// A File is a KV in a file.
type File interface {
	Size() int64 // in bytes
	// Backup writes a consistent copy to w while others write.
	Backup(ctx context.Context, w io.Writer) error
	// Check reads everything, and returns ErrCorrupt for damage. Others must not write meanwhile.
	Check(ctx context.Context) error
}

// A Leased KV tells whether its process holds the lease of the account.
type Leased interface {
	// Lost is closed when the lease is lost, and work on the account must stop. It is nil without a lease.
	Lost() <-chan struct{}
	// Held is asked before each request of a shop, since a suspended process learns of Lost too late.
	Held() bool
}

// SizeOf returns the size of a file in bytes, 0 of another store.
func SizeOf(s Store) int64 {
	if f, ok := s.KV.(File); ok {
		return f.Size()
	}
	return 0
}

// Observe has f called after each commit that succeeds.
func Observe(s Store, f func(took time.Duration)) {
	if o, ok := s.KV.(interface{ Observe(func(time.Duration)) }); ok {
		o.Observe(f)
	}
}

// CanonicalPath makes a path absolute, and resolves its symbolic links as far as it exists.
func CanonicalPath(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(abs)); err == nil {
		abs = filepath.Join(dir, filepath.Base(abs))
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		return real
	}
	return abs
}

// A Lease is the right to work on an account, and to write its store. Fence grows whenever the lease is taken.
type Lease struct {
	Account string
	Fence   int64
	End     func() // ends the lease in this process

	lost  context.Context //nolint:containedctx // until the end
	timer *time.Timer
	mu    sync.Mutex
	until time.Time // by this process's monotonic clock
}

// NewLease makes a lease that is trusted for a time from begun, the moment of its request.
func NewLease(account string, fence int64, begun time.Time, trusted time.Duration) *Lease {
	l := &Lease{Account: account, Fence: fence, until: begun.Add(trusted)}
	l.lost, l.End = context.WithCancel(context.Background())
	l.timer = time.AfterFunc(time.Until(l.until), l.End)
	return l
}

// Renewed trusts the lease for a time from begun, unless it has ended.
func (l *Lease) Renewed(begun time.Time, trusted time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until = begun.Add(trusted)
	l.timer.Reset(time.Until(l.until))
}

// Held implements [Leased], by this process's own clock.
func (l *Lease) Held() bool {
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lost.Err() == nil && time.Now().Before(l.until)
}

// Lost implements [Leased].
func (l *Lease) Lost() <-chan struct{} {
	if l == nil {
		return nil
	}
	return l.lost.Done()
}

// A Memory is a KV in memory.
type Memory struct {
	mu   sync.RWMutex
	held *Tx
}

// InMemory makes an empty store in memory.
func InMemory() Store { return Store{&Memory{held: NewTx(nil, nil)}} }

// Over copies a store to memory, but for the history. A plan is a run on the copy.
func Over(ctx context.Context, below Store) (Store, error) {
	var m *Memory
	err := below.View(ctx, func(tx *Tx) error {
		m = &Memory{held: NewTx(nil, nil)}
		for _, b := range slices.DeleteFunc(slices.Clone(Buckets), func(b Bucket) bool { return b == bucketEvent }) {
			for p := range tx.Scan(b, "", "") {
				m.held.Put(Key{b, p.Key}, p.Value)
			}
		}
		return nil
	})
	return Store{m}, err
}

// Path implements [KV].
func (m *Memory) Path() string { return "" }

// Close implements [KV]. The values stay, for another plan.
func (m *Memory) Close() error { return nil }

// View implements [KV].
func (m *Memory) View(ctx context.Context, fn func(*Tx) error) error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return NewTx(m.held, nil).Run(fn)
}

// Update implements [KV].
func (m *Memory) Update(ctx context.Context, _ []Key, fn func(*Tx) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return m.held.Try(fn)
}
