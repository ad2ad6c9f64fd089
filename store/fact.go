package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// Meta returns a fact, a small text about the whole store; "" if it was never set.
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

// A Fact names a fact that is kept as JSON.
type Fact[T any] string

// Get reads the fact.
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

const metaAccount = "account"

// Account returns the marketplace account of the store, "" while it is not known.
func Account(ctx context.Context, s Store) (string, error) { return s.Meta(ctx, metaAccount) }

// ClaimAccount ties the store to an account for good, and returns ErrAccount for another. "" ties nothing.
func ClaimAccount(ctx context.Context, s Store, account string) error {
	if account == "" {
		return nil
	}
	if have, err := Account(ctx, s); err != nil || have == account {
		return err
	}
	return s.Update(ctx, []Key{{BucketMeta, metaAccount}}, func(tx *Tx) error {
		if have := getOr[string](tx, BucketMeta, metaAccount); have != "" && have != account {
			return fmt.Errorf("%w (%q, not %q)", ErrAccount, have, account)
		}
		put(tx, BucketMeta, metaAccount, account)
		return nil
	})
}

// Writable tests, by a small durable write, whether webhooks can be stored.
func Writable(ctx context.Context, s Store) error { return s.SetMeta(ctx, "probe", "written") }

// HasRoom writes more than a busy commit, and then little in its place, which leaves free pages in the file: on an
// almost full disk one small write may fit and the next may not.
func HasRoom(ctx context.Context, s Store) error {
	if err := s.SetMeta(ctx, "probe", string(make([]byte, 256<<10))); err != nil {
		return err // a small write would fit into what the failed one left
	}
	return Writable(ctx, s)
}

// Schema is the number of the form in which this version keeps a store.
const Schema = 8

// SchemaKey holds the form of a store in a file, without a checksum, so that any version can read it.
var SchemaKey = Key{BucketMeta, "schema"}

// CheckSchema fails for another form than Schema.
func CheckSchema(have string) error {
	if have == strconv.Itoa(Schema) {
		return nil
	}
	return fmt.Errorf("store has the form %.20q, and this pubsync reads %d: use the pubsync that wrote it, "+
		"or put it away and begin a new one, into which a run takes over what the shop lists", have, Schema)
}

var (
	// ErrHalf is the error of [Store.Whole].
	ErrHalf = errors.New("store is a copy that was cut off: remove its file, or its account's rows of pubsync.kv, and " +
		"copy once more")
	// ErrNotEmpty refuses a copy.
	ErrNotEmpty = errors.New("store holds something already")
)

const metaCopying = "copying"

// Whole returns ErrHalf if a copy into the store is unfinished.
func (s Store) Whole(ctx context.Context) error {
	if half, err := s.Meta(ctx, metaCopying); half == "" || err != nil {
		return err
	}
	return ErrHalf
}

// Copy copies a snapshot of a store in use to an empty one of any engine, and returns the number of publications.
func Copy(ctx context.Context, from, to Store) (publications int, err error) {
	if err := to.Update(ctx, nil, func(tx *Tx) error {
		if half := getOr[string](tx, BucketMeta, metaCopying); half != "" {
			return ErrHalf
		}
		for _, b := range Buckets[1:] { // facts are written over
			for range tx.Scan(b, "", "") {
				return ErrNotEmpty
			}
		}
		put(tx, BucketMeta, metaCopying, "begun")
		return nil
	}); err != nil {
		return 0, err
	}
	page := map[Key][]byte{}
	write := func() error {
		delete(page, SchemaKey)
		defer clear(page)
		return to.Update(ctx, nil, func(tx *Tx) error {
			for k, value := range page {
				tx.Put(k, value)
			}
			return nil
		})
	}
	read := false
	if err := from.View(ctx, func(tx *Tx) error {
		if read { // what was written is of another snapshot
			return errors.New("the database has lost the snapshot that is copied: copy again")
		}
		read = true
		for _, b := range Buckets {
			for p := range tx.Scan(b, "", "") {
				if page[Key{b, p.Key}] = p.Value; len(page) < pageSize {
					continue
				}
				if err := write(); err != nil {
					return err
				}
			}
		}
		if err := tx.Err(); err != nil { // a scan ends at an error
			return err
		}
		return write()
	}); err != nil {
		return 0, err
	}
	counts, err := to.Counts(ctx)
	for _, n := range counts {
		publications += n
	}
	return publications, errors.Join(err, to.SetMeta(ctx, metaCopying, ""))
}
