package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
)

// A Property is what records are found by, in the order of since when they have it.
type Property struct{ name string } // which has no zero byte

// KeyState is the records in a state, since their problem, hold or removal began, or else since the
// publication was listed. A record is live since 0.
func KeyState(s State) Property { return Property{"s" + string(s)} }

// KeyHold is the records with a hold of a kind, since the first one.
func KeyHold(k HoldKind) Property { return Property{"h" + string(k)} }

// KeyLeaving is the records on sale that must leave the shop, since that was found.
func KeyLeaving() Property { return Property{"l"} }

// KeyUnread is the records with a listing whose publication was never read.
func KeyUnread() Property { return Property{"u"} }

// keyOf is the records of which something has a value, since 0. A hash stands for the value, so that a
// key has a bound: two values may have the same one.
func keyOf(what, value string) Property {
	sum := sha256.Sum256([]byte(value))
	return Property{what + hex.EncodeToString(sum[:8])}
}

func keyProduct(id string) Property { return keyOf("p", id) }

func keyListing(id string) Property { return keyOf("i", id) }

// live is left out of the index: most records have it, and a query for it reads all records.
var live = KeyState(StateLive)

// An indexed property is one that a record has, and since when.
type indexed struct {
	Key   Property
	Since Instant
}

// propertiesOf is the properties of a record, each once.
func propertiesOf(r Record) []indexed {
	all := append(make([]indexed, 0, 4), indexed{KeyState(r.State), max(since(r), 0)})
	var held []HoldKind
	for _, h := range r.Holds {
		if h.Stands() && !slices.Contains(held, h.Kind) {
			held = append(held, h.Kind)
			all = append(all, indexed{KeyHold(h.Kind), max(h.Since, 0)})
		}
	}
	if r.Sale == OnSale && r.Removal.Reason != "" {
		all = append(all, indexed{KeyLeaving(), max(r.Removal.At, 0)})
	}
	if r.ShopID != "" && r.ReadAt == 0 {
		all = append(all, indexed{KeyUnread(), max(r.ListedAt, 0)})
	}
	if r.Product != "" {
		all = append(all, indexed{Key: keyProduct(r.Product)})
	}
	if r.Listing != "" {
		all = append(all, indexed{Key: keyListing(r.Listing)})
	}
	return all
}

// since is since when a record stands in its state.
func since(r Record) Instant {
	switch {
	case r.State == StateLive:
		return 0
	case r.State == StateHeld:
		for _, h := range r.Holds {
			if h.Stands() {
				return h.Since
			}
		}
		return 0
	case r.Problem.Kind != "":
		return r.Problem.Since
	case r.Removal.Reason != "":
		return r.Removal.At
	default:
		return r.ListedAt
	}
}

// placesOf is the keys by which a record is found.
func placesOf(r Record) (keys []Key) {
	for _, p := range propertiesOf(r) {
		if p.Key != live {
			keys = append(keys, Key{bucketIndex, p.Key.name + "\x00" + p.place(r.ID)})
		}
	}
	return keys
}

// Place is where a record stands in the order of a query; ok is false where it does not have the
// property, or since a time that the query does not ask for.
func (q Query) Place(r Record) (place string, ok bool) {
	if q.Key == (Property{}) {
		return r.ID, true
	}
	for _, p := range propertiesOf(r) {
		if p.Key == q.Key && p.Since >= q.From && (q.To == 0 || p.Since <= q.To) {
			return p.place(r.ID), true
		}
	}
	return "", false
}

// place sorts by since when a record has the property, then by its id.
func (p indexed) place(id string) string { return string(p.Since.sortable()) + id }

// instantSize is the size in bytes of an instant in a place.
const instantSize = 8

// splitPlace parts a place into since when the record has the property, and its id.
func splitPlace(place string) (since Instant, id string) {
	if len(place) < instantSize {
		return 0, ""
	}
	//nolint:gosec // made from an instant that is not negative
	return Instant(binary.BigEndian.Uint64([]byte(place[:instantSize]))), place[instantSize:]
}

// sortable is the instant as bytes that sort like it. What is before 1970 is never.
func (i Instant) sortable() []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(max(i, 0))) //nolint:gosec // not negative
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
		for _, id := range products {
			err = errors.Join(err, eachIndexed(tx, keyProduct(id), func(r Record) {
				if r.Product == id {
					ids = append(ids, r.ID)
				}
			}))
		}
		for _, id := range listings {
			err = errors.Join(err, eachIndexed(tx, keyListing(id), func(r Record) {
				if r.Listing == id {
					ids = append(ids, r.ID)
				}
			}))
		}
		return err
	})
	slices.Sort(ids)
	return slices.Compact(ids), err
}

// eachIndexed calls each with the records that have a property.
func eachIndexed(tx *Tx, key Property, each func(Record)) error {
	for q := (Query{Key: key, Limit: pageSize}); ; {
		records, behind, err := listIndexed(tx, q)
		for _, r := range records {
			each(r)
		}
		if q.After = behind; err != nil || behind == "" {
			return err
		}
	}
}

// SKUKey is what a claim of a SKU goes by: shops compare SKUs without regard to case.
func SKUKey(sku string) string { return strings.ToLower(sku) }

// Owners is the publication that holds each of some SKUs, by [SKUKey]. One that is free is missing.
func (s Store) Owners(ctx context.Context, keys ...string) (held map[string]string, err error) {
	err = s.View(ctx, func(tx *Tx) error {
		held, err = owners(tx, keys)
		return err
	})
	return held, err
}

func owners(tx *Tx, keys []string) (map[string]string, error) {
	found, err := tx.Get(skuKeys(keys)...)
	held := make(map[string]string, len(found))
	for k, owner := range found {
		held[k.Key] = string(owner)
	}
	return held, err
}

// skuKeys is where the claims of SKUs are that can be claimed.
func skuKeys(keys []string) []Key {
	return keysIn(bucketSKU, slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return !validID(key) })...)
}

// claim claims the SKUs that a record has and the one before had not, or that are asked for, where
// they are free, and releases those that it has no more.
func claim(tx *Tx, before, after Record, asked []string) error {
	had, has := before.SKUKeys(), after.SKUKeys()
	moved := slices.DeleteFunc(slices.Concat(had, has), func(key string) bool {
		return slices.Contains(had, key) == slices.Contains(has, key) && !slices.Contains(asked, key)
	})
	held, err := owners(tx, moved)
	if err != nil {
		return err
	}
	for _, key := range skuKeys(moved) {
		switch owner := held[key.Key]; {
		case slices.Contains(has, key.Key) && owner == "":
			tx.Put(key, []byte(after.ID))
		case !slices.Contains(has, key.Key) && owner == before.ID:
			tx.Put(key, nil)
		}
	}
	return nil
}
