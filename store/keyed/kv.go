package keyed

import "context"

// A Bucket is a part of a KV, with an order of keys of its own.
type Bucket string

// The buckets. BucketMeta has the facts, and under [MetaSchema] in which form the store is kept.
// BucketWish has what others accepted, see [Wish].
const (
	BucketMeta        Bucket = "meta"
	bucketSequence    Bucket = "sequence"
	bucketPublication Bucket = "publication"
	bucketIndex       Bucket = "index"
	bucketMark        Bucket = "mark"
	bucketDue         Bucket = "due"
	BucketWish        Bucket = "wish"
	bucketHinted      Bucket = "hinted" // the looks that unsigned webhooks ask for
	bucketRecent      Bucket = "recent" // the last events of a publication
	bucketEvent       Bucket = "event"
	bucketOutbox      Bucket = "outbox"
	bucketHint        Bucket = "hint"
	bucketSKU         Bucket = "sku"
	bucketCursor      Bucket = "cursor"
	bucketSeen        Bucket = "seen"
	bucketRemoved     Bucket = "removed"
	bucketLeft        Bucket = "left" // what is left of forgotten publications
)

// Buckets are all of them, Sealed those whose values have a checksum.
var (
	Buckets = []Bucket{
		BucketMeta, bucketSequence, bucketPublication, bucketIndex, bucketMark, bucketHinted, bucketDue, BucketWish,
		bucketRecent, bucketEvent,
		bucketOutbox, bucketHint, bucketSKU, bucketCursor, bucketSeen, bucketRemoved, bucketLeft,
	}
	Sealed = []Bucket{
		BucketMeta, bucketSequence, bucketPublication, bucketLeft, bucketMark, bucketHinted, BucketWish,
		bucketRecent, bucketEvent, bucketOutbox,
		bucketCursor,
	}
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

// A KV keeps values by key in buckets.
type KV interface {
	// View runs fn in a transaction that reads, all of it as it is at one moment.
	View(ctx context.Context, fn func(*Tx) error) error
	// Update runs fn in a transaction, and returns once that is durable. Where fn fails nothing is
	// written. The declared keys are read with the transaction's beginning; fn may read others. It may
	// share its transaction with others, and may run more than once, of which the last counts.
	Update(ctx context.Context, declared []Key, fn func(*Tx) error) error
	Close() error
}

// A Source is what a KV holds at the beginning of a transaction. The values are good until its end.
type Source interface {
	// Read is the values under keys. One that is not there is missing.
	Read(keys []Key) (map[Key][]byte, error)
	// Page is the first pairs of a bucket from a key on, at most so many, in the order of the keys'
	// bytes, and before the key to. An empty to is no bound.
	Page(b Bucket, from, to string, most int) ([]Pair, error)
}
