package store

import (
	"context"
	"encoding/json"
	"fmt"
)

// FactReader is a store as far as its facts can be read.
type FactReader interface {
	Meta(ctx context.Context, key string) (string, error)
}

// Facts are the methods of a store that read and write facts, which are texts under names: small
// values about the store as a whole.
type Facts interface {
	FactReader
	SetMeta(ctx context.Context, key, value string) error
}

// MetaJSON reads a fact that SetMetaJSON wrote; ok is false when there is none.
func MetaJSON(ctx context.Context, s FactReader, key string, into any) (ok bool, err error) {
	value, err := s.Meta(ctx, key)
	if err != nil || value == "" {
		return false, err
	}
	if err := json.Unmarshal([]byte(value), into); err != nil {
		return false, fmt.Errorf("%w: fact %q: %w", ErrCorrupt, key, err)
	}
	return true, nil
}

// SetMetaJSON writes a fact with some structure.
func SetMetaJSON(ctx context.Context, s Facts, key string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("set fact %s: %w", key, err)
	}
	return s.SetMeta(ctx, key, string(data))
}

// A Fact is the name of a fact with some structure, which is kept as JSON.
type Fact[T any] string

// Get reads the fact; ok is false where there is none.
func (f Fact[T]) Get(ctx context.Context, s FactReader) (value T, ok bool, err error) {
	ok, err = MetaJSON(ctx, s, string(f), &value)
	return value, ok, err
}

// Set writes the fact.
func (f Fact[T]) Set(ctx context.Context, s Facts, value T) error {
	return SetMetaJSON(ctx, s, string(f), value)
}

// metaProbe is the fact that Writable writes.
const metaProbe = "probe"

// Writable makes one small durable write: whether webhooks can be stored now.
func Writable(ctx context.Context, s Facts) error { return s.SetMeta(ctx, metaProbe, "written") }

// roomy is the size in bytes of a write that needs more room than a busy commit.
const roomy = 256 << 10

// HasRoom makes a large durable write, and then a small one in its place. It fails while a disk is
// full. On a disk that is almost full one small write fits and the next does not; after HasRoom the
// file has free pages for the next ones.
func HasRoom(ctx context.Context, s Facts) error {
	if err := s.SetMeta(ctx, metaProbe, string(make([]byte, roomy))); err != nil {
		return err
	}
	return Writable(ctx, s)
}
