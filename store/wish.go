package store

import (
	"context"
	"encoding/binary"
	"hash/crc32"
	"time"
)

// Wish is a mark as a pair of [BucketWish], which any process may insert without a transaction's
// lock: the account's worker takes it in. Wishes for the same are one. ahead is how far the store's
// clock is ahead of this process's.
func Wish(m Mark, ahead time.Duration) (p Pair, err error) {
	if err := m.valid(); err != nil {
		return p, err
	}
	m.At = (&Tx{ahead: ahead}).stored(m.At)
	key := binary.BigEndian.AppendUint32([]byte{byte(m.Class)}, crc32.ChecksumIEEE([]byte(m.Seen)))
	p.Key = string(key) + m.ID
	p.Value, err = encode(p.Key, m)
	return p, err
}

// wishHead is the bytes of a wish's key before the id.
const wishHead = 5

// TakeWishes makes due what was wished for.
func (s Store) TakeWishes(ctx context.Context) error {
	for more := true; more; {
		var wishes []Pair
		if err := s.View(ctx, func(tx *Tx) (err error) {
			wishes, err = tx.Page(BucketWish, "", "", pageSize)
			return err
		}); err != nil || len(wishes) == 0 {
			return err
		}
		more = len(wishes) == pageSize
		declared := []Key{sequenceKey}
		for _, p := range wishes {
			id := p.Key[wishHead:]
			declared = append(declared, Key{BucketWish, p.Key}, Key{bucketMark, id}, Key{bucketHinted, id})
		}
		if err := s.Update(ctx, declared, func(tx *Tx) error {
			for _, p := range wishes {
				m, err := get[Mark](tx, BucketWish, p.Key)
				if err != nil {
					return err
				}
				if m == nil {
					continue
				}
				m.ID = p.Key[wishHead:]
				if err := putMark(tx, *m); err != nil {
					return err
				}
				remove(tx, BucketWish, p.Key)
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}
