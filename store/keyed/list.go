package keyed

import (
	"context"
	"fmt"

	"github.com/pubsync/pubsync/store"
)

// List is the records that a query asks for, and the place to go on after, "" at the end. It may
// return fewer than there are.
func (s *Store) List(ctx context.Context, q store.Query) (records []store.Record, after string, err error) {
	most := q.Limit
	if most <= 0 {
		most = listSize
	}
	err = s.View(ctx, func(tx *Tx) error {
		if q.Key != (store.Key{}) && q.Key != live {
			records, after, err = listKey(tx, q, most)
		} else {
			records, after, err = listAll(tx, q, most)
		}
		return err
	})
	return records, after, err
}

// listAll is the records behind a place that a query asks for, out of all records.
func listAll(tx *Tx, q store.Query, most int) (records []store.Record, after string, err error) {
	records = make([]store.Record, 0, min(most, listSize))
	behind := q.After
	if q.Key == live {
		_, behind = store.SplitPlace(q.After)
	}
	read := 0
	for page, err := range pages(tx.Scan(bucketPublication, behind, ""), min(most+1, pageSize)) {
		if err != nil {
			return nil, "", err
		}
		var seen map[Key][]byte
		if q.Unseen {
			if seen, err = getSeen(tx, page); err != nil {
				return nil, "", err
			}
		}
		for _, p := range page {
			if p.Key == behind {
				continue
			}
			if len(records) == most || read == readMost {
				return records, after, nil
			}
			read++
			if after = p.Key; q.Key == live {
				after = store.Indexed{Key: live}.Place(p.Key)
			}
			if _, met := seen[Key{bucketSeen, p.Key}]; met {
				continue
			}
			r, err := decodeRecord(p.Key, p.Value)
			if err != nil {
				return nil, "", err
			}
			if _, asked := q.Place(r); asked {
				records = append(records, r)
			}
		}
	}
	return records, "", nil
}

// lostKey is the damage of a key in the index whose record does not have it.
func lostKey(key string) error {
	return fmt.Errorf("%w: the index has %.80q, and no record does", store.ErrCorrupt, key)
}

// readMost bounds how many records one transaction reads: the pages that a reader sees cannot be
// used again meanwhile.
const readMost = 4096

// listSize is how many records are returned where the query does not say.
const listSize = 256
