package keyed

import (
	"fmt"
	"iter"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/value"
)

// get is the value under a key; nil: there is none.
func get(tx *Tx, b Bucket, key string) ([]byte, error) {
	k := Key{b, key}
	found, err := tx.Get(k)
	return found[k], err
}

func remove(tx *Tx, b Bucket, key string) { tx.Put(Key{b, key}, nil) }

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

// after is the first key behind those that begin with a prefix; "" is no bound.
func after(prefix string) string {
	end := []byte(prefix)
	for len(end) > 0 && end[len(end)-1] == 0xff {
		end = end[:len(end)-1]
	}
	if len(end) > 0 {
		end[len(end)-1]++
	}
	return string(end)
}

// getRecords is the known records of publications by their ids, for one round trip.
func getRecords(tx *Tx, ids ...string) (map[string]store.Record, error) {
	keys := make([]Key, len(ids))
	for i, id := range ids {
		keys[i] = Key{bucketPublication, id}
	}
	found, err := tx.Get(keys...)
	if err != nil {
		return nil, err
	}
	records := make(map[string]store.Record, len(found))
	for k, data := range found {
		if records[k.Key], err = decodeRecord(k.Key, data); err != nil {
			return nil, err
		}
	}
	return records, nil
}

// putValue writes v, sealed, under a key.
func putValue(tx *Tx, b Bucket, key string, v any) error {
	if err := checkID(key); err != nil {
		return err
	}
	data, err := value.Encode(key, v)
	if err != nil {
		return err
	}
	tx.Put(Key{b, key}, data)
	return nil
}

// putFact writes a text, sealed, under a key.
func putFact(tx *Tx, b Bucket, key, text string) error {
	if err := checkID(key); err != nil {
		return err
	}
	tx.Put(Key{b, key}, value.Seal(key, []byte(text)))
	return nil
}

// checkID fails for an id that no publication can have.
func checkID(id string) error {
	if !validID(id) {
		return fmt.Errorf("write store: id of %d bytes", len(id))
	}
	return nil
}

func validID(id string) bool { return id != "" && len(id) <= store.MaxID }

func decodeRecord(id string, data []byte) (store.Record, error) {
	r := store.Record{ID: id}
	err := value.Decode("record", id, data, &r)
	return r, err
}

func decodeReport(id string, data []byte) (store.Report, error) {
	r := store.Report{ID: id}
	err := value.Decode("report", id, data, &r)
	return r, err
}

func decodeMark(id string, data []byte) (store.Mark, error) {
	m := store.Mark{ID: id}
	err := value.Decode("mark", id, data, &m)
	return m, err
}

func decodeCursor(name string, data []byte) (c store.Cursor, err error) {
	err = value.Decode("cursor", name, data, &c)
	return c, err
}
