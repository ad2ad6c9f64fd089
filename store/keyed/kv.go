package keyed

import (
	"context"
	"iter"
)

// A Bucket is a part of a KV, with an order of keys of its own.
type Bucket string

// The buckets.
const (
	bucketMeta        Bucket = "meta"
	bucketPublication Bucket = "publication"
	bucketIndex       Bucket = "index"
	bucketMark        Bucket = "mark"
	bucketDue         Bucket = "due"
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
		bucketMeta, bucketPublication, bucketIndex, bucketMark, bucketDue, bucketOutbox, bucketHint, bucketSKU,
		bucketCursor, bucketSeen, bucketRemoved, bucketLeft,
	}
	Sealed = []Bucket{bucketMeta, bucketPublication, bucketLeft, bucketMark, bucketOutbox, bucketCursor}
)

// A KV keeps values by key in buckets.
type KV interface {
	// View runs fn in a transaction that reads, all of it as it is at one moment.
	View(ctx context.Context, fn func(Tx) error) error
	// Update runs fn in a transaction, and returns once that is durable. Where fn fails nothing is written. fn may
	// share its transaction with others, and may run more than once, of which the last counts.
	Update(ctx context.Context, fn func(Tx) error) error
	Close() error
}

// A Tx is a transaction. Bytes that it gives are good until its next write, or its end.
type Tx interface {
	// Get is the value under a key; nil: there is none.
	Get(b Bucket, key string) []byte
	// Put writes a value. A key is neither empty nor longer than 32 KiB.
	Put(b Bucket, key string, value []byte) error
	Delete(b Bucket, key string) error
	// Scan is what a bucket has from a key on, in the order of the keys' bytes. Its loop writes nothing to the bucket.
	Scan(b Bucket, from string) iter.Seq2[string, []byte]
	Clear(b Bucket) error
	// Next counts the bucket's sequence up, Reach brings it to n at least.
	Next(b Bucket) (uint64, error)
	Reach(b Bucket, n uint64) error
}
