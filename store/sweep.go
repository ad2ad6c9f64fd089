package store

import (
	"encoding/json"
	"fmt"
	"time"

	bolt "go.etcd.io/bbolt"
)

// A Cursor is a place in a listing of the marketplace.
type Cursor struct {
	Value   string  `json:"v,omitempty"` // opaque; empty: from the beginning
	At      Instant `json:"a"`           // when it was stored
	Started Instant `json:"s,omitempty"` // of an enumeration: when its first page was asked for
	Listed  int     `json:"n,omitempty"` // of an enumeration: entries so far
	Read    bool    `json:"r,omitempty"` // of an enumeration: every entry's content is read again
}

// CursorOf is the cursor stored under name.
func (s *Store) CursorOf(name string) (c Cursor, ok bool, err error) {
	err = s.read(func(tx *bolt.Tx) error {
		data := bucket(tx, bucketCursor).Get([]byte(name))
		if data == nil {
			return nil
		}
		if err := json.Unmarshal(data, &c); err != nil {
			return fmt.Errorf("%w: cursor %s: %w", ErrCorrupt, name, err)
		}
		ok = true
		return nil
	})
	return c, ok, err
}

// DropCursor forgets a cursor, and with it what an enumeration has seen so far.
func (s *Store) DropCursor(name string, seen bool) error {
	return s.write(func(tx *bolt.Tx) error {
		if seen {
			if err := clearBucket(tx, bucketSeen); err != nil {
				return err
			}
		}
		return bucket(tx, bucketCursor).Delete([]byte(name))
	})
}

func clearBucket(tx *bolt.Tx, name []byte) error {
	root := tx.Bucket(rootBucket)
	if err := root.DeleteBucket(name); err != nil {
		return err
	}
	_, err := root.CreateBucket(name)
	return err
}

// A Page is what one page of a listing changes.
type Page struct {
	Name   string // of the cursor
	Cursor Cursor
	IDs    []string // the entries, in order
	Seen   bool     // an enumeration: remember that they were met
	// Judge decides on one entry, in the transaction: known is false for one the store never met. It fills the settlement's record, mark and
	// report, and returns false where nothing is to be written.
	Judge func(i int, known bool, owed *Report, s *Settlement) bool
}

// PutPage stores the cursor and all that the page's entries lead to in one transaction.
func (s *Store) PutPage(p Page) error {
	return s.write(func(tx *bolt.Tx) error {
		for i, id := range p.IDs {
			if id == "" || len(id) > maxID {
				continue
			}
			if p.Seen {
				if err := bucket(tx, bucketSeen).Put([]byte(id), nil); err != nil {
					return err
				}
			}
			if err := s.judge(tx, p, i, id); err != nil {
				return err
			}
		}
		return putJSON(bucket(tx, bucketCursor), []byte(p.Name), p.Cursor)
	})
}

func (s *Store) judge(tx *bolt.Tx, p Page, i int, id string) error {
	r, known, err := getRecord(tx, id)
	if err != nil {
		return err
	}
	owed, err := getReport(tx, id)
	if err != nil {
		return err
	}
	w := Settlement{Record: r}
	if !p.Judge(i, known, owed, &w) {
		return nil
	}
	return s.put(tx, id, w)
}

// Unseen is the ids of the records that the enumeration under way has not met, of those for which which says so.
func (s *Store) Unseen(which func(Record) bool) (ids []string, err error) {
	err = s.read(func(tx *bolt.Tx) error {
		seen := bucket(tx, bucketSeen)
		return bucket(tx, bucketPublication).ForEach(func(key, value []byte) error {
			if seen.Get(key) != nil {
				return nil
			}
			r, err := decodeRecord(string(key), value)
			if err == nil && which(r) {
				ids = append(ids, r.ID)
			}
			return err
		})
	})
	return ids, err
}

// EndEnumeration forgets what the enumeration has seen and notes when it was complete.
func (s *Store) EndEnumeration(name string, at time.Time) error {
	return s.write(func(tx *bolt.Tx) error {
		if err := clearBucket(tx, bucketSeen); err != nil {
			return err
		}
		if err := putJSON(bucket(tx, bucketCursor), []byte(name+".done"), Cursor{At: At(at)}); err != nil {
			return err
		}
		return bucket(tx, bucketCursor).Delete([]byte(name))
	})
}
