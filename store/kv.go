package store

import (
	"context"
	"io"
	"path/filepath"
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
	// Held reports whether the lease is held now. It is asked before each request of a shop: a suspended process
	// learns of Lost too late.
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
