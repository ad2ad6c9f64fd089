package keyed

import (
	"context"
	"fmt"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/value"
)

// Meta is a small fact about the store as a whole, "" when it was never set.
func (s *Store) Meta(ctx context.Context, key string) (text string, err error) {
	err = s.View(ctx, func(tx Tx) error {
		text, err = getMeta(tx, key)
		return err
	})
	return text, err
}

func getMeta(tx Tx, key string) (string, error) {
	data := tx.Get(bucketMeta, key)
	// a version that reads no other schema must still be able to read which one it is
	if data == nil || key == MetaSchema {
		return string(data), nil
	}
	fact, err := value.Unseal("fact", key, data)
	return string(fact), err
}

// SetMeta sets it; "" removes it. The facts "schema" and "counts" are the store's own, and
// "account" is set once: another value is an *AccountError.
func (s *Store) SetMeta(ctx context.Context, key, text string) error {
	if key == MetaSchema || key == metaCounts {
		return fmt.Errorf("set fact: %s is the store's own", key)
	}
	return s.Update(ctx, func(tx Tx) error {
		if key == store.MetaAccount {
			switch have, err := getMeta(tx, key); {
			case err != nil || have == text:
				return err
			case have != "":
				return &store.AccountError{Store: have, Token: text}
			}
		}
		if text == "" {
			return tx.Delete(bucketMeta, key)
		}
		return putFact(tx, bucketMeta, key, text)
	})
}

// MetaSchema is the fact that says in which form the store is kept. It is the engine's.
const MetaSchema = "schema"
