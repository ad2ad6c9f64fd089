package store

import (
	"cmp"
	"context"
	"slices"
)

// An Entry is all that the store holds of one publication. Each run of a change function loads it anew.
type Entry struct {
	Record Record
	Known  bool  // false: no record, or what is left of a forgotten one
	Mark   *Mark // nil: it is not due
	Hint   *Mark // of ClassHint
	Owed   *Report
	News   []Event
	// Removed counts a removal for the brake.
	Removed bool
	// Forget removes every trace. With Leave, ReportedAt stays, so that it counts as ours, and the SKUs in the shop.
	Forget, Leave bool
}

// Note merges a mark into the entry's.
func (e *Entry) Note(m Mark) {
	if e.Mark != nil {
		m = e.Mark.Merge(m)
	}
	e.Mark = &m
}

// Tell adds an event to the history.
func (e *Entry) Tell(ev Event) { e.News = append(e.News, ev) }

// Get returns the entry of a publication.
func (s Store) Get(ctx context.Context, id string) (Entry, error) {
	return view(ctx, s, func(tx *Tx) Entry { return getEntry(tx, id) })
}

// Change changes entries in one transaction, except those for which change returns false, and returns how many it
// changed.
func (s Store) Change(ctx context.Context, ids []string, change func(*Entry) bool) (n int, err error) {
	err = s.Update(ctx, entryKeys(ids...), func(tx *Tx) error {
		n = 0
		for _, id := range ids {
			if update(tx, id, nil, change) {
				n++
			}
		}
		return nil
	})
	return n, err
}

// ChangeAll changes each entry of a query, a page per transaction.
func ChangeAll(ctx context.Context, s Store, q Query, change func(*Entry) bool) (n int, err error) {
	for more := true; more && err == nil; more = q.After != "" {
		var records []Record
		records, q.After, err = s.List(ctx, q)
		var ids []string
		for _, r := range records {
			ids = append(ids, r.ID)
		}
		changed := 0
		if err == nil {
			changed, err = s.Change(ctx, ids, func(e *Entry) bool { return e.Known && change(e) })
		}
		n += changed
	}
	return n, err
}

// Begin changes one entry by a function that also gets the owners of some SKUs, by [SKUKey]. If change fails,
// nothing is written and Begin returns its error.
func (s Store) Begin(
	ctx context.Context, id string, skus []string, change func(e *Entry, owners map[string]string) error,
) error {
	return s.Update(ctx, append(entryKeys(id), claimable(skus)...), func(tx *Tx) (err error) {
		held := owners(tx, skus)
		update(tx, id, skus, func(e *Entry) bool {
			err = change(e, held)
			return err == nil
		})
		return err
	})
}

func entryKeys(ids ...string) []Key {
	keys := []Key{countsKey, SequenceKey}
	for _, b := range []Bucket{bucketPublication, bucketOutbox, bucketMark, bucketHinted} {
		keys = append(keys, keysIn(b, ids...)...)
	}
	return keys
}

func update(tx *Tx, id string, asked []string, change func(*Entry) bool) bool {
	old, e := getEntry(tx, id), getEntry(tx, id) // they share nothing
	if tx.err != nil || !change(&e) {
		return false
	}
	if e.Record.ID = id; e.Forget {
		e.Owed = nil
	}
	putRecord(tx, old.Record, e, asked)
	putMark(tx, bucketMark, id, old.Mark, e.Mark)
	putMark(tx, bucketHinted, id, old.Hint, e.Hint)
	putReport(tx, id, old.Owed, e.Owed)
	return true
}

func getEntry(tx *Tx, id string) (e Entry) {
	tx.Get(entryKeys(id)...) // for one round trip
	e.Record = getOr[Record](tx, bucketPublication, id)
	e.Record.ID, e.Known = id, e.Record.State != ""
	if e.Owed = get[Report](tx, bucketOutbox, id); e.Owed != nil {
		e.Owed.ID = id
	}
	e.Mark, e.Hint = getMark(tx, bucketMark, id), getMark(tx, bucketHinted, id)
	return e
}

// putRecord writes no unknown record before it has a state. What is left of a forgotten publication has none.
func putRecord(tx *Tx, old Record, e Entry, asked []string) {
	r := e.Record
	if e.Removed && !e.Forget {
		putRemoved(tx, r.ID, r.Removal.At)
	}
	switch {
	case !e.Known && (e.Forget || r.State == ""):
		return
	case e.Forget && e.Leave:
		r = r.left()
	case e.Forget:
		r = Record{ID: r.ID}
	}
	putPlaces(tx, old, r)
	recount(tx, old, r)
	claim(tx, old, r, asked)
	if !e.Forget || r.ReportedAt != 0 || len(r.Claims) > 0 {
		put(tx, bucketPublication, r.ID, r)
	} else {
		remove(tx, bucketPublication, r.ID)
	}
	if e.Forget {
		remove(tx, bucketEvent, r.ID)
	} else {
		addEvents(tx, r.ID, e.News)
	}
}

// Reports returns the owed reports by id.
func (s Store) Reports(ctx context.Context) ([]Report, error) {
	return view(ctx, s, func(tx *Tx) (reports []Report) {
		for p := range tx.Scan(bucketOutbox, "", "") {
			r := read[Report](tx, Key{bucketOutbox, p.Key}, p.Value)
			r.ID = p.Key
			reports = append(reports, r)
		}
		return reports
	})
}

// putReport numbers a new report.
func putReport(tx *Tx, id string, old, r *Report) {
	switch {
	case r == nil && old == nil, r != nil && old != nil && *r == *old:
		return
	case r == nil:
		remove(tx, bucketOutbox, id)
		return
	}
	report := *r
	if report.Seq == 0 {
		report.Seq = next(tx)
	}
	put(tx, bucketOutbox, id, report)
}

// A Cursor is a place in a listing of the marketplace.
type Cursor struct {
	Value    string  `cbor:"1,keyasint,omitempty"` // opaque; empty: the beginning
	At       Instant `cbor:"2,keyasint,omitempty"`
	Started  Instant `cbor:"3,keyasint,omitempty"` // of an enumeration, as all below: when its first page was asked for
	Listed   int     `cbor:"4,keyasint,omitempty"` // entries so far
	Read     Instant `cbor:"7,keyasint,omitempty"` // content read before this is read again; 0: none is
	Nameless int     `cbor:"6,keyasint,omitempty"` // entries so far without an id
}

// A Page is what one page of a listing changes.
type Page struct {
	Name   string
	Cursor Cursor
	IDs    []string
	Change func(i int, e *Entry) bool // of entry IDs[i]; false: it is not written
	Seen   bool                       // an enumeration met them
}

// CursorOf returns the cursor under a name.
func (s Store) CursorOf(ctx context.Context, name string) (c Cursor, ok bool, err error) {
	found, err := view(ctx, s, func(tx *Tx) *Cursor { return get[Cursor](tx, bucketCursor, name) })
	return *cmp.Or(found, &c), found != nil && err == nil, err
}

// PutPage stores the cursor and changes a page's entries in one transaction, but for ids that the store cannot keep.
func (s Store) PutPage(ctx context.Context, p Page) error {
	valid := slices.DeleteFunc(slices.Clone(p.IDs), func(id string) bool { return !validID(id) })
	return s.Update(ctx, entryKeys(valid...), func(tx *Tx) error {
		for i, id := range p.IDs {
			if !validID(id) {
				continue
			}
			if p.Seen {
				tx.Put(Key{bucketSeen, id}, []byte{})
			}
			update(tx, id, nil, func(e *Entry) bool { return p.Change(i, e) })
		}
		put(tx, bucketCursor, p.Name, p.Cursor)
		return nil
	})
}

// EndListing removes a cursor and, if it enumerated, the ids met. The cursor name+".done" keeps done, unless 0.
func (s Store) EndListing(ctx context.Context, name string, enumerated bool, done Instant) error {
	return s.Update(ctx, nil, func(tx *Tx) error {
		if enumerated {
			for p := range tx.Scan(bucketSeen, "", "") {
				remove(tx, bucketSeen, p.Key)
			}
		}
		remove(tx, bucketCursor, name)
		if done != 0 {
			put(tx, bucketCursor, name+".done", Cursor{At: done})
		}
		return nil
	})
}
