package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
)

// Meta is a fact: a small text about the store as a whole, "" when it was never set.
func (s Store) Meta(ctx context.Context, key string) (string, error) {
	return view(ctx, s, func(tx *Tx) string { return getOr[string](tx, BucketMeta, key) })
}

// SetMeta sets a fact; "" removes it.
func (s Store) SetMeta(ctx context.Context, key, text string) error {
	return s.Update(ctx, nil, func(tx *Tx) error {
		if text == "" {
			remove(tx, BucketMeta, key)
		} else {
			put(tx, BucketMeta, key, text)
		}
		return nil
	})
}

// A Fact is the name of a fact with some structure, which is kept as JSON.
type Fact[T any] string

// Get reads the fact; ok is false where there is none.
func (f Fact[T]) Get(ctx context.Context, s Store) (value T, ok bool, err error) {
	text, err := s.Meta(ctx, string(f))
	if err != nil || text == "" {
		return value, false, err
	}
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return value, false, fmt.Errorf("%w: fact %q: %w", ErrCorrupt, f, err)
	}
	return value, true, nil
}

// Set writes the fact.
func (f Fact[T]) Set(ctx context.Context, s Store, value T) error {
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("set fact %s: %w", f, err)
	}
	return s.SetMeta(ctx, string(f), string(data))
}

// metaAccount is the fact that ClaimAccount writes.
const metaAccount = "account"

// Account is the marketplace account that the store belongs to, "" when that is not known yet.
func Account(ctx context.Context, s Store) (string, error) { return s.Meta(ctx, metaAccount) }

// ClaimAccount ties the store to a marketplace account for good. Another account is an
// *AccountError; "" is no account and ties nothing.
func ClaimAccount(ctx context.Context, s Store, account string) error {
	if account == "" {
		return nil
	}
	if have, err := Account(ctx, s); err != nil || have == account {
		return err
	}
	return s.Update(ctx, []Key{{BucketMeta, metaAccount}}, func(tx *Tx) error {
		if have := getOr[string](tx, BucketMeta, metaAccount); have != "" && have != account {
			return &AccountError{Store: have, Token: account}
		}
		put(tx, BucketMeta, metaAccount, account)
		return nil
	})
}

// Writable makes one small durable write: whether webhooks can be stored now.
func Writable(ctx context.Context, s Store) error { return s.SetMeta(ctx, "probe", "written") }

// HasRoom makes a durable write of 256 KiB, more than a busy commit, and then a small one in its
// place. On a disk that is almost full one small write fits and the next does not; after HasRoom the
// file has free pages for the next ones.
func HasRoom(ctx context.Context, s Store) error {
	if err := s.SetMeta(ctx, "probe", string(make([]byte, 256<<10))); err != nil {
		return err // a small write behind one that failed would make room of what that one left
	}
	return Writable(ctx, s)
}

// Schema is the number of the form in which this version keeps a store. The engine keeps it with
// the store, as the fact that [SchemaKey] names or in a table of its own.
const Schema = 8

// SchemaKey is where a store in a file says its form. The value has no checksum: a version that
// reads no other form must still be able to read which one it is.
var SchemaKey = Key{BucketMeta, "schema"}

// CheckSchema fails for a store that is kept in another form than this version keeps.
func CheckSchema(have string) error {
	if have == strconv.Itoa(Schema) {
		return nil
	}
	return fmt.Errorf("store has the form %.20q, and this pubsync reads %d: use the pubsync that wrote it, "+
		"or put it away and begin a new one, into which a run takes over what the shop lists", have, Schema)
}
