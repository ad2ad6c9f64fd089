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

// Claim ties the store to a marketplace account for good. Another account is an *AccountError.
func (s *Store) Claim(account string) error {
	have, err := s.Meta("account")
	if err != nil || have == account || account == "" {
		return err
	}
	if have != "" {
		return &AccountError{Store: have, Token: account}
	}
	return s.SetMeta("account", account)
}

// Meta is a small fact about the store as a whole, "" when it was never set.
func (s *Store) Meta(key string) (value string, err error) {
	err = s.read(func(tx *bolt.Tx) error {
		value = string(bucket(tx, bucketMeta).Get([]byte(key)))
		return nil
	})
	return value, err
}

// SetMeta sets it; "" removes it.
func (s *Store) SetMeta(key, value string) error {
	return s.write(func(tx *bolt.Tx) error {
		if value == "" {
			return bucket(tx, bucketMeta).Delete([]byte(key))
		}
		return bucket(tx, bucketMeta).Put([]byte(key), []byte(value))
	})
}

// MetaJSON reads a fact that SetMetaJSON wrote; ok is false when there is none.
func (s *Store) MetaJSON(key string, into any) (ok bool, err error) {
	value, err := s.Meta(key)
	if err != nil || value == "" {
		return false, err
	}
	if err := json.Unmarshal([]byte(value), into); err != nil {
		return false, fmt.Errorf("%w: meta %s: %w", ErrCorrupt, key, err)
	}
	return true, nil
}

// SetMetaJSON writes a fact with some structure.
func (s *Store) SetMetaJSON(key string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return s.SetMeta(key, string(data))
}
