package store

import (
	"context"
	"io"
	"path/filepath"
	"time"
)

// A Bucket is a part of a KV, with an order of keys of its own.
type Bucket string

// The buckets of a store. A value is CBOR (RFC 8949) with the numbers of the struct tags as keys, and a
// checksum behind it. A number is never used again for something else.
const (
	BucketMeta        Bucket = "meta"        // name: a fact about the whole: schema, account, tally, sequence
	bucketPublication Bucket = "publication" // id: a Record; without a state: what is left of a forgotten publication
	bucketMark        Bucket = "mark"        // id: a Mark: why and when it is due, with a generation
	bucketHinted      Bucket = "hinted"      // id: a Mark: the look that unsigned webhooks ask for, beside the other
	bucketOutbox      Bucket = "outbox"      // id: a Report: the latest status that is not acknowledged
	bucketEvent       Bucket = "event"       // id: []Event: its history
	bucketCursor      Bucket = "cursor"      // name: a Cursor
	bucketIndex       Bucket = "index"       // property, id: nothing: the records that have a property
	bucketSKU         Bucket = "sku"         // SKU in lower case: the publication that holds it
	bucketDue         Bucket = "due"         // class, time, id: nothing: the marks in the order of work
	bucketSeen        Bucket = "seen"        // id: nothing: met by the enumeration under way
	bucketRemoved     Bucket = "removed"     // time, id: nothing: removals of the last days, for the brake
)

// Buckets are all of them. The values of the plain ones have no checksum.
var (
	Buckets = append([]Bucket{
		BucketMeta, bucketPublication, bucketMark, bucketHinted, bucketOutbox, bucketEvent, bucketCursor,
	}, plain...)
	plain = []Bucket{bucketIndex, bucketSKU, bucketDue, bucketSeen, bucketRemoved}
)

// A Key is where a value is: its bucket, and its key in there, which is neither empty nor longer
// than 2 KiB.
type Key struct {
	Bucket Bucket
	Key    string
}

// A Pair is a key of a bucket and its value.
type Pair struct {
	Key   string
	Value []byte
}

// A KV keeps values by key in buckets. Its methods may be called from any goroutine. Where the
// context has ended before the transaction begins nothing is done, and the error is the context's,
// see [Stopped]; later the end of the context changes nothing.
type KV interface {
	// View runs fn in a transaction that reads, all of it as it is at one moment.
	View(ctx context.Context, fn func(*Tx) error) error
	// Update runs fn in a transaction, and returns once that is durable. Where fn fails or panics
	// nothing is written. The declared keys are read with the transaction's beginning; fn may read
	// others. It may run more than once, of which the last counts.
	Update(ctx context.Context, declared []Key, fn func(*Tx) error) error
	// Path is where the store is, the same for each process that opens it: the absolute path of a
	// file with symbolic links resolved, or the address of a database without any secret; "" of one
	// that ends with its process.
	Path() string
	Close() error
}

// A Source is what a KV holds at the beginning of a transaction. The values are not changed later.
type Source interface {
	// Read is the values under keys. One that is not there is missing.
	Read(keys []Key) (map[Key][]byte, error)
	// Page is the first pairs of a bucket from a key on, at most so many, in the order of the keys'
	// bytes, and before the key to. An empty to is no bound.
	Page(b Bucket, from, to string, most int) ([]Pair, error)
}

// A File is a KV that is one file on this machine.
type File interface {
	Size() int64 // in bytes
	// Backup writes a consistent copy to w, while others go on writing.
	Backup(ctx context.Context, w io.Writer) error
	// Check reads everything. Damage is ErrCorrupt. Nobody may write meanwhile.
	Check(ctx context.Context) error
}

// A Leased KV is of an account that the process which has its lease works on.
type Leased interface {
	// Lost is closed when the lease is lost. Whoever works on the account stops then. It is nil
	// without a lease.
	Lost() <-chan struct{}
	// Held reports whether the lease is held at this moment. It is asked before each request of a
	// shop, since a process that was stopped learns of Lost only after it goes on.
	Held() bool
}

// SizeOf is the size in bytes of a store that is a file, 0 of another.
func SizeOf(s Store) int64 {
	if f, ok := s.KV.(File); ok {
		return f.Size()
	}
	return 0
}

// Observe has f told of each commit, with how long it took.
func Observe(s Store, f func(took time.Duration)) {
	if o, ok := s.KV.(interface{ Observe(func(time.Duration)) }); ok {
		o.Observe(f)
	}
}

// CanonicalPath is a path made absolute with symbolic links resolved as far as it exists.
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
