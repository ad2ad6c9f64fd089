package bolt

import (
	"context"
	"fmt"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/value"
)

// Meta is a small fact about the store as a whole, "" when it was never set.
func (s *Store) Meta(ctx context.Context, key string) (text string, err error) {
	err = s.read(ctx, func(tx *tree) error {
		text, err = getMeta(tx, key)
		return err
	})
	return text, err
}

func getMeta(tx *tree, key string) (string, error) {
	data := bucket(tx, bucketMeta).Get([]byte(key))
	// a version that reads no other schema must still be able to read which one it is
	if data == nil || key == metaSchema {
		return string(data), nil
	}
	fact, err := value.Unseal("fact", key, data)
	return string(fact), err
}

// SetMeta sets it; "" removes it. The facts "schema" and "counts" are the store's own, and
// "account" is set once: another value is an *AccountError.
func (s *Store) SetMeta(ctx context.Context, key, text string) error {
	switch {
	case s.readOnly:
		return store.ErrReadOnly
	case key == metaSchema || key == metaCounts:
		return fmt.Errorf("set fact: %s is the store's own", key)
	}
	return s.write(ctx, func(tx *tree) error {
		if key == store.MetaAccount {
			switch have, err := getMeta(tx, key); {
			case err != nil || have == text:
				return err
			case have != "":
				return &store.AccountError{Store: have, Token: text}
			}
		}
		if text == "" {
			return bucket(tx, bucketMeta).Delete([]byte(key))
		}
		return putFact(bucket(tx, bucketMeta), key, text)
	})
}
