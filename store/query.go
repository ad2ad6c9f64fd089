package store

import (
	"encoding/binary"
	"slices"
)

// A Query asks for records. An index answers it: of a key it reads the records that have it and no
// others. The zero Query asks for every record. That is for work that concerns each of them: the
// comparison with what the shop holds, a change of the rules, a review under other settings, the
// copy of a store, and a backup that takes the place of its store.
type Query struct {
	Key      Key     // the records that have it; the zero Key is every record
	From, To Instant // with a key: that have it since From at the earliest, and To at the latest; 0 is no bound
	Unseen   bool    // without a key: those that the enumeration under way has not met
	After    string  // begin behind this place, which List returned; "": at the beginning
	Limit    int     // at most so many; 0 for some hundreds
}

// A Key is a property of records that every engine has an index of. There are no others than those
// below. A record has a key since a moment, which orders the records that have the same.
type Key struct{ name string }

// KeyState is the records in a state, since their problem, hold or removal began, or else since the
// publication was listed. Since when a record is live is not kept: it has that key since 0.
func KeyState(s State) Key { return Key{"s" + string(s)} }

// KeyHold is the records with a hold of a kind, since the first one.
func KeyHold(k HoldKind) Key { return Key{"h" + string(k)} }

// KeyLeaving is the records on sale that must leave the shop, since that was found.
func KeyLeaving() Key { return Key{"l"} }

// KeyShopWide is the records whose problem is that of the whole shop, since it began.
func KeyShopWide() Key { return Key{"w"} }

// KeyUnread is the records with a listing whose publication was never read, since they entered the
// store.
func KeyUnread() Key { return Key{"u"} }

// String is the name of the key, which tells it from every other. It has no zero byte.
func (k Key) String() string { return k.name }

// An Indexed is a key that a record has, and since when.
type Indexed struct {
	Key   Key
	Since Instant
}

// Keys is the keys of a record, each once. An engine keeps them beside the record, in the same
// transaction.
func Keys(r Record) []Indexed {
	keys := append(make([]Indexed, 0, 2), Indexed{KeyState(r.State), max(since(r), 0)})
	var held []HoldKind
	for _, h := range r.Holds {
		if h.Stands() && !slices.Contains(held, h.Kind) {
			held = append(held, h.Kind)
			keys = append(keys, Indexed{KeyHold(h.Kind), max(h.Since, 0)})
		}
	}
	if r.Sale == OnSale && r.Removal.Reason != "" {
		keys = append(keys, Indexed{KeyLeaving(), max(r.Removal.At, 0)})
	}
	if r.Problem.Wide {
		keys = append(keys, Indexed{KeyShopWide(), max(r.Problem.Since, 0)})
	}
	if r.ShopID != "" && r.ReadAt == 0 {
		keys = append(keys, Indexed{KeyUnread(), max(r.ListedAt, 0)})
	}
	return keys
}

// since is since when a record stands in its state. It moves no more often than the state does, or
// what the state follows from.
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

// Place is where a record stands in the order of a query, as bytes that sort so: by since when it
// has the key and then by its id, or without a key by its id. Ids sort by their bytes, in a
// database of tables too. ok is false where the key, or the time, is not one that the query asks
// for.
func (q Query) Place(r Record) (place string, ok bool) {
	if q.Key == (Key{}) {
		return r.ID, true
	}
	for _, k := range Keys(r) {
		if k.Key == q.Key && k.Since >= q.From && (q.To == 0 || k.Since <= q.To) {
			return k.Place(r.ID), true
		}
	}
	return "", false
}

// instantSize is the size in bytes of an instant in a place.
const instantSize = 8

// Place is where a record stands in the order of the key.
func (k Indexed) Place(id string) string { return string(k.Since.sortable()) + id }

// First is before the places of the query's key that the query asks for.
func (q Query) First() string { return max(q.After, string(q.From.sortable())) }

// SplitPlace parts a place in the order of a key into since when the record has it, and its id.
func SplitPlace(place string) (since Instant, id string) {
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

// A DueQuery asks for marks in the order of work.
type DueQuery struct {
	Classes ClassSet
	From    Instant  // due no sooner
	To      Instant  // and no later
	Skip    []string // publications that are left out
	Limit   int      // at most so many; 0 for as many as there are
	Behind  *Mark    // nil, or begin behind this one
}

// A ReportQuery asks for reports that are owed, in the order of the ids.
type ReportQuery struct {
	After string // an id: begin behind it
	Limit int    // at most so many; 0 for some hundreds
	Only  Owed
}

// An Owed is which of the owed reports are asked for.
type Owed int

// The reports that are owed.
const (
	AllOwed     Owed = iota
	OwedFresh        // the marketplace never refused it
	OwedRefused      // the marketplace refused it before
)

// Has reports whether a report is asked for.
func (o Owed) Has(r Report) bool { return o == AllOwed || (o == OwedRefused) == (r.Refusals > 0) }
