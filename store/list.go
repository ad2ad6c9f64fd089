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

// keyProduct is the records of a product, keyListing those of a listing. A hash stands for the id, so
// that a key has a bound.
func keyProduct(id string) Property { return hashed("p", id) }
func keyListing(id string) Property { return hashed("i", id) }

func hashed(what, id string) Property {
	sum := sha256.Sum256([]byte(id))
	return Property(what + hex.EncodeToString(sum[:8]))
}

// propertiesOf is the properties of a record. One may come twice.
func propertiesOf(r Record) (all []Property) {
	if r.State == "" {
		return nil
	}
	all = append(all, KeyState(r.State))
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

// prefix is what the keys of the index begin with that have the property.
func (p Property) prefix() string { return string(p) + "\x00" }

// putPlaces keeps the places of the index by which a record is found. Most records keep theirs, and
// nothing is written.
func putPlaces(tx *Tx, before, after Record) {
	had, has := propertiesOf(before), propertiesOf(after)
	for _, p := range had {
		if !slices.Contains(has, p) {
			remove(tx, bucketIndex, p.prefix()+before.ID)
		}
	}
	for _, p := range has {
		if !slices.Contains(had, p) {
			tx.Put(Key{bucketIndex, p.prefix() + after.ID}, []byte{})
		}
	}
}

// A Query asks for records. An index answers it: of a property it reads the records that have it
// and no others. The zero Query asks for every record, for work that concerns each of them.
type Query struct {
	Key    Property // the records that have it; "" is every record
	Unseen bool     // those alone that the enumeration under way has not met
	After  string   // an id: begin behind it
	Limit  int      // at most so many; 0 for some hundreds
}

// List is the records that a query asks for, in the order of their ids, and the id to go on after,
// "" at the end. There may be fewer than asked for before the end.
func (s Store) List(ctx context.Context, q Query) (records []Record, after string, err error) {
	if q.Limit <= 0 {
		q.Limit = pageSize
	}
	records, err = view(ctx, s, func(tx *Tx) (records []Record) {
		records, after = list(tx, q)
		return records
	})
	return records, after, err
}

func list(tx *Tx, q Query) (records []Record, behind string) {
	bucket, prefix := bucketPublication, ""
	if q.Key != "" {
		bucket, prefix = bucketIndex, q.Key.prefix()
	}
	from := prefix
	if q.After != "" {
		from += q.After + "\x00"
	}
	page, _ := tx.Page(bucket, from, behindAll(prefix), q.Limit) //nolint:errcheck // it is the transaction's
	ids, values, seen := make([]string, len(page)), map[Key][]byte{}, map[Key][]byte{}
	for i, p := range page {
		ids[i] = strings.TrimPrefix(p.Key, prefix)
		values[Key{bucketPublication, ids[i]}] = p.Value
	}
	if len(page) == q.Limit {
		behind = ids[len(ids)-1]
	}
	if bucket == bucketIndex {
		values = tx.Get(keysIn(bucketPublication, ids...)...)
	}
	if q.Unseen {
		seen = tx.Get(keysIn(bucketSeen, ids...)...)
	}
	for _, id := range ids {
		if _, met := seen[Key{bucketSeen, id}]; met {
			continue
		}
		k := Key{bucketPublication, id}
		r := read[Record](tx, k, values[k])
		if q.Key != "" && !slices.Contains(propertiesOf(r), q.Key) {
			tx.fail(fmt.Errorf("%w: the index has %.80q for %q, and no record does", ErrCorrupt, id, q.Key))
		}
		if r.ID = id; r.State != "" {
			records = append(records, r)
		}
	}
	return records, behind
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

// behindAll is the first key behind those that begin with a prefix, which ends with a zero byte; ""
// is no bound.
func behindAll(prefix string) string {
	if prefix == "" {
		return ""
	}
	return prefix[:len(prefix)-1] + "\x01"
}

// Resolve is the ids of the known publications among those given, and of those whose product or
// listing is named. Each comes once, in order.
func (s Store) Resolve(ctx context.Context, publications, products, listings []string) (ids []string, err error) {
	if len(publications)+len(products)+len(listings) == 0 {
		return nil, nil
	}
	var properties []Property
	for _, id := range products {
		properties = append(properties, keyProduct(id))
	}
	for _, id := range listings {
		properties = append(properties, keyListing(id))
	}
	ids, err = view(ctx, s, func(tx *Tx) (ids []string) {
		for k, value := range tx.Get(keysIn(bucketPublication, publications...)...) {
			if r := read[Record](tx, k, value); r.State != "" {
				ids = append(ids, k.Key)
			}
		}
		for _, property := range properties {
			prefix := property.prefix()
			for p := range tx.Scan(bucketIndex, prefix, behindAll(prefix)) {
				ids = append(ids, strings.TrimPrefix(p.Key, prefix))
			}
		}
		return ids
	})
	slices.Sort(ids)
	return slices.Compact(ids), err
}
