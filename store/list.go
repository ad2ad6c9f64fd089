package store

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// A Query asks for records. An index answers it: of a property it reads the records that have it
// and no others. The zero Query asks for every record, for work that concerns each of them.
type Query struct {
	Key      Property // the records that have it; the zero Property is every record
	From, To Instant  // with a property: that have it since From at the earliest, and To at the latest; 0 is no bound
	Unseen   bool     // without one: those that the enumeration under way has not met
	After    string   // begin behind this place, which List returned; "": at the beginning
	Limit    int      // at most so many; 0 for some hundreds
}

const (
	// readMost bounds how many records one transaction reads: the pages of a file that a reader
	// sees cannot be used again meanwhile.
	readMost = 4096
	// listSize is how many records are returned where the query does not say.
	listSize = 256
)

// List is the records that a query asks for, and the place to go on after, "" at the end. They come
// in the order of since when they have the property, then by id. There may be fewer than asked for
// before the end.
func (s Store) List(ctx context.Context, q Query) (records []Record, after string, err error) {
	if q.Limit <= 0 {
		q.Limit = listSize
	}
	err = s.View(ctx, func(tx *Tx) error {
		if q.Key != (Property{}) && q.Key != live {
			records, after, err = listIndexed(tx, q)
		} else {
			records, after, err = listAll(tx, q)
		}
		return err
	})
	return records, after, err
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

// listIndexed is List by a property that the index has.
func listIndexed(tx *Tx, q Query) (records []Record, behind string, err error) {
	prefix := q.Key.name + "\x00"
	first := max(q.After, string(q.From.sortable()))
	for page, err := range pages(tx.Scan(bucketIndex, prefix+first, after(prefix)), min(q.Limit+1, pageSize)) {
		if err != nil {
			return nil, "", err
		}
		ids := make([]string, len(page))
		for i, p := range page {
			_, ids[i] = splitPlace(strings.TrimPrefix(p.Key, prefix))
		}
		found, err := getAll[Record](tx, bucketPublication, ids)
		if err != nil {
			return nil, "", err
		}
		for i, p := range page {
			place := strings.TrimPrefix(p.Key, prefix)
			since, _ := splitPlace(place)
			r, known := found[ids[i]]
			r.ID = ids[i]
			switch {
			case place == q.After:
				continue
			case q.To != 0 && since > q.To:
				return records, "", nil
			case len(records) == q.Limit:
				return records, behind, nil
			case !known || !slices.Contains(propertiesOf(r), indexed{q.Key, since}):
				return nil, "", fmt.Errorf("%w: the index has %.80q, and no record does", ErrCorrupt, p.Key)
			}
			records, behind = append(records, r), place
		}
	}
	return records, "", nil
}

// listAll is List out of all records.
func listAll(tx *Tx, q Query) (records []Record, behind string, err error) {
	records = make([]Record, 0, min(q.Limit, listSize))
	read := 0
	for page, err := range pages(tx.Scan(bucketPublication, q.After, ""), min(q.Limit+1, pageSize)) {
		if err != nil {
			return nil, "", err
		}
		var seen map[Key][]byte
		if q.Unseen {
			ids := make([]string, len(page))
			for i, p := range page {
				ids[i] = p.Key
			}
			if seen, err = tx.Get(keysIn(bucketSeen, ids...)...); err != nil {
				return nil, "", err
			}
		}
		for _, p := range page {
			if p.Key == q.After {
				continue
			}
			if len(records) == q.Limit || read == readMost {
				return records, behind, nil
			}
			read++
			behind = p.Key
			if _, met := seen[Key{bucketSeen, p.Key}]; met {
				continue
			}
			r, err := decode[Record](Key{bucketPublication, p.Key}, p.Value)
			if err != nil {
				return nil, "", err
			}
			r.ID = p.Key
			if _, asked := q.Place(r); asked {
				records = append(records, r)
			}
		}
	}
	return records, "", nil
}
