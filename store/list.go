package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// A Property is what records are found by. It has no zero byte.
type Property string

// The properties of no state and no hold.
const (
	KeyLeaving Property = "l" // the records on sale that must leave the shop
	KeyUnread  Property = "u" // the records with a listing whose publication was never read
)

// KeyState is the records in a state.
func KeyState(s State) Property { return Property("s" + s) }

// KeyHold is the records with a hold of a kind that waits for a person.
func KeyHold(k HoldKind) Property { return Property("h" + k) }

// live is left out of the index: most records have it, and a query for it reads all records.
var live = KeyState(StateLive)

// keyProduct is the records of a product, keyListing those of a listing. A hash stands for the id, so
// that a key has a bound: two ids may have the same one.
func keyProduct(id string) Property { return hashed("p", id) }
func keyListing(id string) Property { return hashed("i", id) }

func hashed(what, id string) Property {
	sum := sha256.Sum256([]byte(id))
	return Property(what + hex.EncodeToString(sum[:8]))
}

// propertiesOf is the properties of a record. One may come twice.
func propertiesOf(r Record) []Property {
	all := append(make([]Property, 0, 4), KeyState(r.State))
	for _, h := range r.Holds {
		if h.Stands() {
			all = append(all, KeyHold(h.Kind))
		}
	}
	if r.Sale == OnSale && r.Removal.Reason != "" {
		all = append(all, KeyLeaving)
	}
	if r.ShopID != "" && r.ReadAt == 0 {
		all = append(all, KeyUnread)
	}
	if r.Product != "" {
		all = append(all, keyProduct(r.Product))
	}
	if r.Listing != "" {
		all = append(all, keyListing(r.Listing))
	}
	return all
}

// placesOf is the keys of the index by which a record is found.
func placesOf(r Record) (keys []Key) {
	for _, p := range propertiesOf(r) {
		if p != live {
			keys = append(keys, Key{bucketIndex, string(p) + "\x00" + r.ID})
		}
	}
	return keys
}

// A Query asks for records. An index answers it: of a property it reads the records that have it
// and no others. The zero Query asks for every record, for work that concerns each of them.
type Query struct {
	Key    Property // the records that have it; "" is every record
	Unseen bool     // those alone that the enumeration under way has not met
	After  string   // an id: begin behind it
	Limit  int      // at most so many; 0 for some hundreds
}

const (
	// readMost bounds how many records one transaction reads: the pages of a file that a reader
	// sees cannot be used again meanwhile.
	readMost = 4096
	// listSize is how many records are returned where the query does not say.
	listSize = 256
)

// List is the records that a query asks for, in the order of their ids, and the id to go on after,
// "" at the end. There may be fewer than asked for before the end.
func (s Store) List(ctx context.Context, q Query) (records []Record, after string, err error) {
	err = s.View(ctx, func(tx *Tx) error {
		records, after, err = list(tx, q)
		return err
	})
	return records, after, err
}

func list(tx *Tx, q Query) (records []Record, behind string, err error) {
	if q.Limit <= 0 {
		q.Limit = listSize
	}
	bucket, prefix := bucketPublication, ""
	if q.Key != "" && q.Key != live {
		bucket, prefix = bucketIndex, string(q.Key)+"\x00"
	}
	from := prefix
	if q.After != "" {
		from += q.After + "\x00"
	}
	read := 0
	for page, err := range pages(tx.Scan(bucket, from, after(prefix)), min(q.Limit+1, pageSize)) {
		if err != nil {
			return nil, "", err
		}
		ids, seen := make([]string, len(page)), map[Key][]byte(nil)
		for i, p := range page {
			ids[i] = strings.TrimPrefix(p.Key, prefix)
		}
		if bucket != bucketPublication { // for one round trip
			_, err = tx.Get(keysIn(bucketPublication, ids...)...)
		}
		if q.Unseen && err == nil {
			seen, err = tx.Get(keysIn(bucketSeen, ids...)...)
		}
		if err != nil {
			return nil, "", err
		}
		for i, id := range ids {
			if len(records) == q.Limit || read == readMost {
				return records, behind, nil
			}
			read++
			behind = id
			if _, met := seen[Key{bucketSeen, id}]; met {
				continue
			}
			r, err := listed(tx, bucket, id, page[i].Value)
			if err != nil {
				return nil, "", err
			}
			has := q.Key == "" || slices.Contains(propertiesOf(r), q.Key)
			if !has && bucket == bucketIndex {
				return nil, "", fmt.Errorf("%w: the index has %.80q, and no record does", ErrCorrupt, page[i].Key)
			}
			if has {
				records = append(records, r)
			}
		}
	}
	return records, "", nil
}

// listed is the record that a scan of a bucket met; the zero Record where there is none.
func listed(tx *Tx, b Bucket, id string, value []byte) (r Record, err error) {
	if b == bucketPublication {
		r, err = decode[Record](Key{b, id}, value)
	} else {
		r, err = getOr[Record](tx, bucketPublication, id)
	}
	r.ID = id
	return r, err
}

// Records ranges over what List returns for a query, some hundreds at a time.
func Records(ctx context.Context, s Store, q Query) iter.Seq2[Record, error] {
	return paged(func() (records []Record, more bool, err error) {
		records, q.After, err = s.List(ctx, q)
		return records, q.After != "", err
	})
}

// paged ranges over what a function returns page by page, until it has no more.
func paged[T any](read func() (page []T, more bool, err error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for more := true; more; {
			var page []T
			var err error
			if page, more, err = read(); err != nil {
				yield(*new(T), err)
				return
			}
			for _, v := range page {
				if !yield(v, nil) {
					return
				}
			}
		}
	}
}

// pages hands on what a scan yields, some pairs at a time, so that what belongs to them is read in
// one round trip.
func pages(scan iter.Seq2[Pair, error], most int) iter.Seq2[[]Pair, error] {
	return func(yield func([]Pair, error) bool) {
		page := make([]Pair, 0, most)
		for p, err := range scan {
			if err != nil {
				yield(nil, err)
				return
			}
			if page = append(page, p); len(page) == most {
				if !yield(page, nil) {
					return
				}
				page = page[:0]
			}
		}
		if len(page) > 0 {
			yield(page, nil)
		}
	}
}

// Resolve is the ids of the known publications among those given, and of those whose product or
// listing is named. Each comes once, in order.
func (s Store) Resolve(ctx context.Context, publications, products, listings []string) (ids []string, err error) {
	if len(publications)+len(products)+len(listings) == 0 {
		return nil, nil
	}
	err = s.View(ctx, func(tx *Tx) error {
		ids = nil
		found, err := tx.Get(keysIn(bucketPublication, publications...)...)
		if err != nil {
			return err
		}
		for k := range found {
			ids = append(ids, k.Key)
		}
		find := func(key Property, is func(Record) bool) error {
			for q := (Query{Key: key}); ; {
				records, behind, err := list(tx, q)
				for _, r := range records {
					if is(r) {
						ids = append(ids, r.ID)
					}
				}
				if q.After = behind; err != nil || behind == "" {
					return err
				}
			}
		}
		for _, id := range products {
			if err := find(keyProduct(id), func(r Record) bool { return r.Product == id }); err != nil {
				return err
			}
		}
		for _, id := range listings {
			if err := find(keyListing(id), func(r Record) bool { return r.Listing == id }); err != nil {
				return err
			}
		}
		return nil
	})
	slices.Sort(ids)
	return slices.Compact(ids), err
}
