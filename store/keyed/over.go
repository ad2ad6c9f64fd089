package keyed

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/pubsync/pubsync/store"
)

// An Over is a KV in memory above another one, which it only reads: a plan is a run over it. The work
// that there is it copies when it is made. Of a publication it remembers the record once something of
// it is written, and from then on does not ask the other about it: that may be written meanwhile.
type Over struct {
	mu   sync.RWMutex
	base KV
	top  contents        // what is remembered and written; a nil value is deleted
	own  map[string]bool // publications of which base is not asked
}

// copied are the buckets that are copied as a whole: the marks with their order, what is owed, and
// how far the listings are.
var copied = []Bucket{bucketSequence, bucketMark, bucketHinted, bucketDue, bucketOutbox, bucketCursor, bucketSeen}

// NewOver makes an Over above a KV.
func NewOver(ctx context.Context, base KV) (*Over, error) {
	o := &Over{base: base, own: map[string]bool{}}
	err := base.View(ctx, func(tx *Tx) error {
		o.top = NewMemory().contents
		for _, b := range copied {
			for p, err := range tx.Scan(b, "", "") {
				if err != nil {
					return err
				}
				o.top[b].set(p.Key, append([]byte{}, p.Value...))
			}
		}
		return nil
	})
	return o, err
}

// Over is a store in memory that lies over this one. See [store.Over].
func (s *Store) Over(ctx context.Context) (store.Store, error) {
	kv, err := NewOver(ctx, s.KV)
	if err != nil {
		return nil, err
	}
	return &Store{kv}, nil
}

// Close leaves the KV below open.
func (o *Over) Close() error { return nil }

// View implements KV.
func (o *Over) View(ctx context.Context, fn func(*Tx) error) error {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.base.View(ctx, func(below *Tx) error { return fn(o.above(below)) })
}

// Update implements KV.
func (o *Over) Update(ctx context.Context, _ []Key, fn func(*Tx) error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	var tx *Tx
	var seen map[string][]Key
	var values map[Key][]byte
	err := o.base.View(ctx, func(below *Tx) error {
		tx = o.above(below)
		err := fn(tx)
		if err == nil {
			err = tx.Err()
		}
		if err == nil {
			seen, values, err = o.recall(below, tx)
		}
		return err
	})
	if err != nil {
		return err
	}
	for id, keys := range seen {
		o.own[id] = true
		for _, k := range keys {
			o.top[k.Bucket].set(k.Key, values[k])
		}
	}
	for k, value := range tx.Writes() {
		if value == nil && o.hides(k) {
			o.top[k.Bucket].remove(k.Key)
		} else {
			o.top[k.Bucket].set(k.Key, value)
		}
	}
	return nil
}

// above is a transaction on what is remembered, above one of the KV below.
func (o *Over) above(below *Tx) *Tx {
	remembered := NewTx(below.ahead, shown{below, o.hides}, nil)
	remembered.writes = o.top
	return NewTx(below.ahead, shown{remembered, func(Key) bool { return false }}, nil)
}

// hides reports whether the KV below is not asked for a key.
func (o *Over) hides(k Key) bool { return slices.Contains(copied, k.Bucket) || o.own[publicationOf(k)] }

// publicationOf is the publication whose record a key is part of, or made of; "" for another key.
func publicationOf(k Key) (id string) {
	switch k.Bucket {
	case bucketPublication, bucketLeft, bucketRecent:
		id = k.Key
	case bucketIndex:
		_, place, _ := strings.Cut(k.Key, "\x00")
		_, id = store.SplitPlace(place)
	case bucketHint:
		id = k.Key[1+hintHash:]
	default:
	}
	return id
}

// recall is the keys and values below of each publication of which a transaction is the first to
// write.
func (o *Over) recall(below, tx *Tx) (keys map[string][]Key, values map[Key][]byte, err error) {
	keys, values = map[string][]Key{}, map[Key][]byte{}
	var asked []Key
	for k := range tx.Writes() {
		if id := publicationOf(k); id != "" && !o.own[id] && keys[id] == nil {
			keys[id] = []Key{}
			asked = append(asked, Key{bucketPublication, id}, Key{bucketLeft, id}, Key{bucketRecent, id})
		}
	}
	found, err := below.Get(asked...)
	if err != nil {
		return nil, nil, err
	}
	for k, data := range found {
		made := []Key{k}
		if k.Bucket == bucketPublication {
			r, err := decodeRecord(k.Key, data)
			if err != nil {
				return nil, nil, err
			}
			made = append(made, keysMadeOf(r)...)
		}
		keys[k.Key] = append(keys[k.Key], made...)
		for _, m := range made {
			values[m] = []byte{}
		}
		values[k] = slices.Clone(data)
	}
	return keys, values, nil
}

// keysMadeOf is the keys by which a record is found.
func keysMadeOf(r store.Record) (keys []Key) {
	for _, k := range keysOf(r) {
		keys = append(keys, Key{bucketIndex, indexKey(k, r.ID)})
	}
	if r.Product != "" {
		keys = append(keys, Key{bucketHint, hintKey(hintProduct, r.Product, r.ID)})
	}
	if r.Listing != "" {
		keys = append(keys, Key{bucketHint, hintKey(hintListing, r.Listing, r.ID)})
	}
	return keys
}

// A shown transaction is a source for one above it, but for the keys that are hidden.
type shown struct {
	*Tx
	hides func(Key) bool
}

// Read implements Source.
func (s shown) Read(keys []Key) (map[Key][]byte, error) {
	return s.Get(slices.DeleteFunc(slices.Clone(keys), s.hides)...)
}

// Page implements Source.
func (s shown) Page(b Bucket, from, to string, most int) (page []Pair, err error) {
	if slices.Contains(copied, b) && s.hides(Key{Bucket: b}) {
		return nil, nil
	}
	for p, err := range s.Scan(b, from, to) {
		if err != nil {
			return nil, err
		}
		if s.hides(Key{b, p.Key}) {
			continue
		}
		if page = append(page, p); len(page) == most {
			break
		}
	}
	return page, nil
}
