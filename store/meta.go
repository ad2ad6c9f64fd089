package store

import (
	"encoding/json"
	"fmt"

	bolt "go.etcd.io/bbolt"
)

// AccountError says that the store belongs to another marketplace account.
type AccountError struct{ Store, Token string }

func (e *AccountError) Error() string {
	return fmt.Sprintf("store belongs to the marketplace account %q, the token to %q: use another PUBSYNC_STORE_PATH or the right token",
		e.Store, e.Token)
}

// Claim ties the store to a marketplace account for good. Another account is an *AccountError; "" is no account and ties nothing.
func (s *Store) Claim(account string) error {
	if account == "" {
		return nil
	}
	if have, err := s.Meta(metaAccount); err != nil || have == account {
		return err
	}
	return s.write(func(tx *bolt.Tx) error {
		have, err := getMeta(tx, metaAccount)
		switch {
		case err != nil || have == account:
			return err
		case have != "":
			return &AccountError{Store: have, Token: account}
		default:
			return putSealed(bucket(tx, bucketMeta), metaAccount, []byte(account))
		}
	})
}

// metaAccount is the fact that Claim writes.
const metaAccount = "account"

// Meta is a small fact about the store as a whole, "" when it was never set.
func (s *Store) Meta(key string) (value string, err error) {
	err = s.read(func(tx *bolt.Tx) error {
		value, err = getMeta(tx, key)
		return err
	})
	return value, err
}

func getMeta(tx *bolt.Tx, key string) (string, error) {
	value := bucket(tx, bucketMeta).Get([]byte(key))
	if value == nil || key == metaSchema { // a version that reads no other schema must still be able to read which one it is
		return string(value), nil
	}
	fact, err := unseal("fact", []byte(key), value)
	return string(fact), err
}

// SetMeta sets it; "" removes it. The facts "schema", "account" and "journal" are the store's own.
func (s *Store) SetMeta(key, value string) error {
	if key == metaSchema || key == metaAccount || key == metaJournal {
		return fmt.Errorf("set fact: %s is the store's own", key)
	}
	return s.write(func(tx *bolt.Tx) error {
		if value == "" {
			return bucket(tx, bucketMeta).Delete([]byte(key))
		}
		return putSealed(bucket(tx, bucketMeta), key, []byte(value))
	})
}

// MetaJSON reads a fact that SetMetaJSON wrote; ok is false when there is none.
func (s *Store) MetaJSON(key string, into any) (ok bool, err error) {
	value, err := s.Meta(key)
	if err != nil || value == "" {
		return false, err
	}
	if err := json.Unmarshal([]byte(value), into); err != nil {
		return false, fmt.Errorf("%w: fact %q: %w", ErrCorrupt, key, err)
	}
	return true, nil
}

// SetMetaJSON writes a fact with some structure.
func (s *Store) SetMetaJSON(key string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("set fact %s: %w", key, err)
	}
	return s.SetMeta(key, string(data))
}
