package keyed

import (
	"context"
	"encoding/binary"
	"hash/crc32"
	"time"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/value"
)

// Wish is a mark as a pair of [BucketWish], which any process may insert without a transaction's lock:
// whoever works on the account takes it in. Wishes for the same are one. ahead is how far the store's
// clock is ahead of this process's.
func Wish(m store.Mark, ahead time.Duration) (Pair, error) {
	if err := validMark(m); err != nil {
		return Pair{}, err
	}
	m.At = (&Tx{ahead: ahead}).stored(m.At)
	key := binary.BigEndian.AppendUint32([]byte{byte(m.Class)}, crc32.ChecksumIEEE([]byte(m.Seen)))
	p := Pair{Key: string(key) + m.ID}
	var err error
	p.Value, err = value.Encode(p.Key, m)
	return p, err
}

// wishHead is the bytes of a wish's key before the id.
const wishHead = 5

// TakeWishes makes due what was wished for.
func (s *Store) TakeWishes(ctx context.Context) error {
	for {
		var wishes []Pair
		err := s.View(ctx, func(tx *Tx) (err error) {
			wishes = nil
			for page, err := range pages(tx.Scan(BucketWish, "", ""), pageSize) {
				wishes = append(wishes, page...)
				return err
			}
			return nil
		})
		if err != nil || len(wishes) == 0 {
			return err
		}
		declared := []Key{sequenceKey(bucketMark)}
		for _, p := range wishes {
			declared = append(declared, Key{BucketWish, p.Key}, Key{bucketMark, p.Key[wishHead:]},
				Key{bucketHinted, p.Key[wishHead:]})
		}
		err = s.Update(ctx, declared, func(tx *Tx) error {
			for _, p := range wishes {
				data, err := get(tx, BucketWish, p.Key)
				if err != nil {
					return err
				}
				if data == nil {
					continue
				}
				m := store.Mark{ID: p.Key[wishHead:]}
				if err := value.Decode("wish", p.Key, data, &m); err != nil {
					return err
				}
				if err := putMark(tx, m); err != nil {
					return err
				}
				remove(tx, BucketWish, p.Key)
			}
			return nil
		})
		if err != nil || len(wishes) < pageSize {
			return err
		}
	}
}

// DueBy is where the marks are that are due at a moment: in a bucket, from a key on and before another
// for each class.
func DueBy(now store.Instant) (b Bucket, from, before [][]byte) {
	for class := range store.Classes {
		from = append(from, []byte{byte(class)})
		before = append(before, []byte(dueKey(store.Mark{Class: class, At: now + 1})))
	}
	return bucketDue, from, before
}
