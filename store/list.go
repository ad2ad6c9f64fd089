package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"
)

// A Property is what records are found by. It has no zero byte.
type Property string

// KeyState finds the records in a state.
func KeyState(s State) Property { return Property("s" + s) }

// KeyHold finds the records with a hold of a kind that waits for a person.
func KeyHold(k HoldKind) Property { return Property("h" + k) }

// keyOf hashes the id of a product or listing, so that the key has a bound.
func keyOf(kind, id string) Property {
	sum := sha256.Sum256([]byte(id))
	return Property(kind + hex.EncodeToString(sum[:8]))
}

const ofProduct, ofListing = "p", "i"

// propertiesOf may return one twice.
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
	if r.Product != "" {
		all = append(all, keyOf(ofProduct, r.Product))
	}
	if r.Listing != "" {
		all = append(all, keyOf(ofListing, r.Listing))
	}
	return all
}

// prefix begins the property's keys in the index, and end lies behind them.
func (p Property) prefix() string { return string(p) + "\x00" }
func (p Property) end() string    { return string(p) + "\x01" }

func putPlaces(tx *Tx, before, after Record) {
	had, has := propertiesOf(before), propertiesOf(after)
	for _, p := range slices.Concat(had, has) {
		k := Key{bucketIndex, p.prefix() + after.ID}
		if !slices.Contains(has, p) {
			tx.Put(k, nil)
		} else if !slices.Contains(had, p) {
			tx.Put(k, []byte{})
		}
	}
}

// A Query selects records, the zero Query all of them.
type Query struct {
	Key    Property
	Unseen bool   // only those that the enumeration under way has not met
	After  string // an id to begin behind
	Limit  int    // 0: pageSize
}

// List returns a page of records by id, maybe a short one, and the id to go on after, "" at the end.
func (s Store) List(ctx context.Context, q Query) (records []Record, after string, err error) {
	if q.Limit <= 0 {
		q.Limit = pageSize
	}
	bucket, prefix, end := bucketPublication, "", ""
	if q.Key != "" {
		bucket, prefix, end = bucketIndex, q.Key.prefix(), q.Key.end()
	}
	from := prefix
	if q.After != "" {
		from += q.After + "\x00"
	}
	records, err = view(ctx, s, func(tx *Tx) (records []Record) {
		page, _ := tx.Page(bucket, from, end, q.Limit) //nolint:errcheck // it is the transaction's
		ids, values, seen := make([]string, len(page)), map[Key][]byte{}, map[Key][]byte{}
		for i, p := range page {
			ids[i] = strings.TrimPrefix(p.Key, prefix)
			values[Key{bucketPublication, ids[i]}] = p.Value
		}
		if after = ""; len(page) == q.Limit {
			after = ids[len(ids)-1]
		}
		if q.Key != "" {
			values = tx.Get(keysIn(bucketPublication, ids...)...)
		}
		if q.Unseen {
			seen = tx.Get(keysIn(bucketSeen, ids...)...)
		}
		for _, id := range ids {
			k := Key{bucketPublication, id}
			r := read[Record](tx, k, values[k]) // missing though the index names it: damage
			if _, met := seen[Key{bucketSeen, id}]; !met && r.State != "" {
				r.ID = id
				records = append(records, r)
			}
		}
		return records
	})
	return records, after, err
}

// Records ranges over the records of a query.
func Records(ctx context.Context, s Store, q Query) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for more := true; more; more = q.After != "" {
			var page []Record
			var err error
			if page, q.After, err = s.List(ctx, q); err != nil {
				yield(Record{}, err)
				return
			}
			for _, r := range page {
				if !yield(r, nil) {
					return
				}
			}
		}
	}
}

// Resolve returns the ids of the known ones of these publications, products and listings, in order, each once.
func (s Store) Resolve(ctx context.Context, publications, products, listings []string) (ids []string, err error) {
	if len(publications)+len(products)+len(listings) == 0 {
		return nil, nil
	}
	ids, err = view(ctx, s, func(tx *Tx) (ids []string) {
		for k, value := range tx.Get(keysIn(bucketPublication, publications...)...) {
			if r := read[Record](tx, k, value); r.State != "" {
				ids = append(ids, k.Key)
			}
		}
		for kind, named := range map[string][]string{ofProduct: products, ofListing: listings} {
			for _, id := range named {
				key := keyOf(kind, id)
				for p := range tx.Scan(bucketIndex, key.prefix(), key.end()) {
					ids = append(ids, strings.TrimPrefix(p.Key, key.prefix()))
				}
			}
		}
		return ids
	})
	slices.Sort(ids)
	return slices.Compact(ids), err
}

// SKUKey returns the key of a claim. Shops compare SKUs without regard to case.
func SKUKey(sku string) string { return strings.ToLower(sku) }

func (r Record) skuKeys() []string {
	keys := map[string]bool{}
	for _, v := range r.Variants {
		keys[SKUKey(v.SKU)] = true
	}
	for _, sku := range r.Claims {
		keys[SKUKey(sku)] = true
	}
	delete(keys, "")
	return slices.Collect(maps.Keys(keys))
}

// Owners returns the publication that holds each SKU, by [SKUKey]. A free one is missing.
func (s Store) Owners(ctx context.Context, keys ...string) (map[string]string, error) {
	return view(ctx, s, func(tx *Tx) map[string]string { return owners(tx, keys) })
}

func owners(tx *Tx, keys []string) map[string]string {
	held := map[string]string{}
	for k, owner := range tx.Get(claimable(keys)...) {
		held[k.Key] = string(owner)
	}
	return held
}

func claimable(keys []string) []Key {
	return keysIn(bucketSKU, slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return !validID(key) })...)
}

// claim claims the new and the asked SKUs of a record where they are free, and releases those that it no longer has.
// The record may have had an asked one while another publication held it.
func claim(tx *Tx, before, after Record, asked []string) {
	had, has := before.skuKeys(), after.skuKeys()
	moved := slices.DeleteFunc(slices.Concat(had, has), func(key string) bool {
		return slices.Contains(had, key) == slices.Contains(has, key) && !slices.Contains(asked, key)
	})
	held := owners(tx, moved)
	for _, key := range claimable(moved) {
		owner, keeps := held[key.Key], slices.Contains(has, key.Key)
		if keeps && owner == "" {
			tx.Put(key, []byte(after.ID))
		} else if !keeps && owner == before.ID {
			tx.Put(key, nil)
		}
	}
}

// Backlog is how much is to be done, and what the removal brake counts.
type Backlog struct {
	Due     int // publications
	Owed    int // reports that are not acknowledged
	Refused int // of these, refused by the marketplace
	Removed int // listings taken out of sale in the last 24 hours
	OnSale  int

	States map[State]int
}

const (
	removedWithin = 24 * time.Hour
	removedKept   = 72 * time.Hour // since a clock may be set back
)

// Backlog counts what is due, owed and removed.
func (s Store) Backlog(ctx context.Context, now Instant) (Backlog, error) {
	return view(ctx, s, func(tx *Tx) (f Backlog) {
		f.States = getCounts(tx)
		f.OnSale = f.States[onSale]
		delete(f.States, onSale)
		due, _ := dueIn(tx, DueQuery{Classes: AllClasses, To: now})
		ids := map[string]bool{} // one may have a mark and a hint
		for _, m := range due {
			ids[m.ID] = true
		}
		f.Due = len(ids)
		for p := range tx.Scan(bucketOutbox, "", "") {
			f.Owed++
			if r := read[Report](tx, Key{bucketOutbox, p.Key}, p.Value); r.Refused != "" {
				f.Refused++
			}
		}
		for range tx.Scan(bucketRemoved, removedKey("", now-Instant(removedWithin.Milliseconds())), "") {
			f.Removed++
		}
		return f
	})
}

// Counts returns the number of publications by state.
func (s Store) Counts(ctx context.Context) (map[State]int, error) {
	counts, err := view(ctx, s, getCounts)
	delete(counts, onSale)
	return counts, err
}

// onSale is no state: it counts the records that are on sale.
const onSale State = "on sale"

var countsKey = Key{BucketMeta, "counts"}

func getCounts(tx *Tx) map[State]int {
	if counts := get[map[State]int](tx, BucketMeta, countsKey.Key); counts != nil {
		return *counts
	}
	return map[State]int{}
}

func recount(tx *Tx, before, after Record) {
	if before.State == after.State && before.Sale == after.Sale {
		return
	}
	counts := getCounts(tx)
	for n, r := range map[int]Record{-1: before, 1: after} {
		if r.State != "" {
			counts[r.State] += n
		}
		if r.State != "" && r.Sale == OnSale {
			counts[onSale] += n
		}
	}
	maps.DeleteFunc(counts, func(_ State, n int) bool { return n == 0 })
	put(tx, BucketMeta, countsKey.Key, counts)
}

func removedKey(id string, at Instant) string { return string(at.sortable()) + id }

func putRemoved(tx *Tx, id string, at Instant) {
	for p := range tx.Scan(bucketRemoved, "", removedKey("", At(at.Time().Add(-removedKept)))) {
		remove(tx, bucketRemoved, p.Key)
	}
	tx.Put(Key{bucketRemoved, removedKey(id, at)}, []byte{})
}
