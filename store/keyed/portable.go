package keyed

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/value"
)

// kinds are the buckets that are copied. The others follow from these.
var kinds = []struct {
	kind   store.ItemKind
	bucket Bucket
}{
	{store.ItemFact, BucketMeta},
	{store.ItemRecord, bucketPublication},
	{store.ItemLeft, bucketLeft},
	{store.ItemMark, bucketMark},
	{store.ItemReport, bucketOutbox},
	{store.ItemSKU, bucketSKU},
	{store.ItemCursor, bucketCursor},
	{store.ItemSeen, bucketSeen},
	{store.ItemRemoved, bucketRemoved},
}

// Export ranges over all that the store holds, as it was at one moment.
func (s *Store) Export(ctx context.Context) iter.Seq2[store.Item, error] {
	return func(yield func(store.Item, error) bool) {
		stopped := false
		err := s.View(ctx, func(tx *Tx) error {
			for _, k := range kinds {
				for p, err := range tx.Scan(k.bucket, "", "") {
					if err != nil {
						return err
					}
					key := p.Key
					item := store.Item{Kind: k.kind, Key: key, Value: slices.Clone(p.Value)}
					switch {
					case k.kind == store.ItemFact && (item.Key == MetaSchema || item.Key == metaCounts):
						continue
					case k.kind == store.ItemRemoved:
						item.At = store.Instant(binary.BigEndian.Uint64([]byte(key[:8]))) //nolint:gosec // written by removedKey
						item.Key = key[8:]
					}
					if stopped = !yield(item, nil); stopped {
						return nil
					}
				}
			}
			return nil
		})
		if err != nil && !stopped {
			yield(store.Item{}, err)
		}
	}
}

// importSize is how many items share a transaction.
const importSize = 2000

// Import writes what another store exports into this one, which must be empty.
func (s *Store) Import(ctx context.Context, items iter.Seq2[store.Item, error]) error {
	err := s.View(ctx, func(tx *Tx) error {
		for _, k := range kinds {
			for _, err := range tx.Scan(k.bucket, "", "") {
				if err != nil {
					return err
				}
				if k.kind != store.ItemFact {
					return store.ErrNotEmpty
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	some := make([]store.Item, 0, importSize)
	flush := func() error {
		err := s.Update(ctx, nil, func(tx *Tx) error {
			for _, item := range some {
				if err := importItem(tx, item); err != nil {
					return err
				}
			}
			return nil
		})
		some = some[:0]
		return err
	}
	for item, err := range items {
		if err != nil {
			return err
		}
		if some = append(some, item); len(some) == importSize {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

func importItem(tx *Tx, item store.Item) error {
	for _, k := range kinds {
		if k.kind != item.Kind {
			continue
		}
		switch item.Kind {
		case store.ItemRecord:
			r, err := decodeRecord(item.Key, item.Value)
			if err != nil {
				return err
			}
			if err := putRecord(tx, store.Record{ID: r.ID}, r, false); err != nil {
				return err
			}
		case store.ItemMark:
			m, err := decodeMark(item.Key, item.Value)
			if err != nil {
				return err
			}
			if err := reach(tx, bucketMark, m.Gen); err != nil {
				return err
			}
			if err := setMark(tx, m); err != nil {
				return err
			}
		case store.ItemReport:
			r, err := decodeReport(item.Key, item.Value)
			if err != nil {
				return err
			}
			if err := reach(tx, bucketOutbox, r.Seq); err != nil {
				return err
			}
		case store.ItemSeen:
			tx.Put(Key{bucketSeen, item.Key}, []byte{})
			return nil
		case store.ItemRemoved:
			tx.Put(Key{bucketRemoved, removedKey(item.Key, item.At)}, []byte{})
			return nil
		case store.ItemFact, store.ItemLeft, store.ItemCursor:
			if _, err := value.Unseal("item", item.Key, item.Value); err != nil {
				return err
			}
		}
		tx.Put(Key{k.bucket, item.Key}, item.Value)
		return nil
	}
	return fmt.Errorf("import store: an item of the kind %d", item.Kind)
}
