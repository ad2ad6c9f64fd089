package keyed

import (
	"context"
	"fmt"
	"strconv"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/value"
)

// Meta is a small fact about the store as a whole, "" when it was never set.
func (s *Store) Meta(ctx context.Context, key string) (text string, err error) {
	err = s.View(ctx, func(tx *Tx) error {
		text, err = getMeta(tx, key)
		return err
	})
	return text, err
}

func getMeta(tx *Tx, key string) (string, error) {
	data, err := get(tx, BucketMeta, key)
	// a version that reads no other schema must still be able to read which one it is
	if data == nil || key == MetaSchema || err != nil {
		return string(data), err
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
	return s.Update(ctx, []Key{{BucketMeta, key}}, func(tx *Tx) error {
		if key == store.MetaAccount {
			switch have, err := getMeta(tx, key); {
			case err != nil || have == text:
				return err
			case have != "":
				return &store.AccountError{Store: have, Token: text}
			}
		}
		if text == "" {
			remove(tx, BucketMeta, key)
			return nil
		}
		return putFact(tx, BucketMeta, key, text)
	})
}

// CheckSchema fails for a store that is kept in another form than this version keeps.
func CheckSchema(have, known string) error {
	n, err := strconv.Atoi(have)
	if newest, _ := strconv.Atoi(known); err == nil && n > newest { //nolint:errcheck // it is a number
		return fmt.Errorf("store has the form %d, and this pubsync knows %s: use the pubsync that wrote it, or a newer one",
			n, known)
	}
	if have != known {
		return fmt.Errorf("store has the form %.20q, which this pubsync does not read: put it away and begin a new one, "+
			"into which a run takes over what the shop lists", have)
	}
	return nil
}

// MetaSchema is the fact that says in which form the store is kept. It is the engine's.
const MetaSchema = "schema"
