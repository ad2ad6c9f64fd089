package bolt

import (
	"github.com/pubsync/pubsync/store"
)

// CursorOf is the cursor stored under name.
func (s *Store) CursorOf(name string) (c store.Cursor, ok bool, err error) {
	err = s.read(func(tx *tree) error {
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

func clearBucket(tx *tree, name []byte) error {
	root := tx.Bucket(rootBucket)
	if err := root.DeleteBucket(name); err != nil {
		return err
	}
	_, err := root.CreateBucket(name)
	return err
}

// PutPage stores the cursor and makes all changes that the page's entries lead to, in one transaction. An entry whose id is empty or longer than 16 KiB is
// passed over: it cannot be kept, and must not keep the others from being kept.
func (s *Store) PutPage(p store.Page) error {
	return s.write(func(tx *tree) error {
		fillInOrder(tx, p.Changes)
		for _, c := range p.Changes {
			if !validID(c.ID) {
				continue
			}
			if p.Seen {
				if err := bucket(tx, bucketSeen).Put([]byte(c.ID), nil); err != nil {
					return err
				}
			}
			if _, err := s.change(tx, c); err != nil {
				return err
			}
		}
		return putSealed(bucket(tx, bucketCursor), p.Name, encodeCursor(p.Cursor))
	})
}

// fillInOrder has the pages filled up where a list appends publications in the order of their ids, which each has its room from the first. Where the
// order is another, pages are split in the middle as ever.
func fillInOrder(tx *tree, changes []store.Change) {
	publications := bucket(tx, bucketPublication)
	last, _ := publications.Cursor().Last()
	before := string(last)
	for _, c := range changes {
		if c.ID <= before {
			return
		}
		before = c.ID
	}
	publications.FillPercent = fillAppended
	bucket(tx, bucketMark).FillPercent = fillAppended
}

// EndListing forgets a cursor. A listing has read all of the store, or a good part, which need not stay in memory.
func (s *Store) EndListing(e store.End) error {
	err := s.write(func(tx *tree) error {
		if e.Seen {
			if err := clearBucket(tx, bucketSeen); err != nil {
				return err
			}
		}
		if e.Done != 0 {
			if err := putSealed(bucket(tx, bucketCursor), e.Name+".done", encodeCursor(store.Cursor{At: e.Done})); err != nil {
				return err
			}
		}
		return bucket(tx, bucketCursor).Delete([]byte(e.Name))
	})
	if err == nil {
		s.letGo()
	}
	return err
}
