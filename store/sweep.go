package store

import (
	"time"

	bolt "go.etcd.io/bbolt"
)

// A Cursor is a place in a listing of the marketplace.
type Cursor struct {
	Value   string  // opaque; empty: from the beginning
	At      Instant // when it was stored
	Started Instant // of an enumeration: when its first page was asked for
	Listed  int     // of an enumeration: entries so far
	Read    bool    // of an enumeration: every entry's content is read again
}

// CursorOf is the cursor stored under name.
func (s *Store) CursorOf(name string) (c Cursor, ok bool, err error) {
	err = s.read(func(tx *bolt.Tx) error {
		value := bucket(tx, bucketCursor).Get([]byte(name))
		if value == nil {
			return nil
		}
		c, err = decodeCursor(name, value)
		ok = err == nil
		return err
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

// PutPage stores the cursor and all that the page's entries lead to in one transaction. An entry whose id is empty or longer than 16 KiB is passed
// over: it cannot be kept, and must not keep the others from being kept.
func (s *Store) PutPage(p Page) error {
	return s.write(func(tx *bolt.Tx) error {
		for i, id := range p.IDs {
			if !validID(id) {
				continue
			}
			if p.Seen {
				if err := bucket(tx, bucketSeen).Put([]byte(id), nil); err != nil {
					return err
				}
			}
			if _, err := s.change(tx, id, true, func(known bool, owed *Report, w *Settlement) bool { return p.Judge(i, known, owed, w) }); err != nil {
				return err
			}
		}
		return putSealed(bucket(tx, bucketCursor), p.Name, encodeCursor(p.Cursor))
	})
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
		if err := putSealed(bucket(tx, bucketCursor), name+".done", encodeCursor(Cursor{At: At(at)})); err != nil {
			return err
		}
		return bucket(tx, bucketCursor).Delete([]byte(name))
	})
}
