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

// Facts is a store as far as its facts go.
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

// metaProbe is the fact that is written to see whether that can be.
const metaProbe = "probe"

// Writable makes one small durable write: whether webhooks can be stored now.
func Writable(ctx context.Context, s Facts) error { return s.SetMeta(ctx, metaProbe, "written") }

// roomy is more than one busy commit takes.
const roomy = 256 << 10

// HasRoom makes a large durable write and takes it back: whether a disk that was full has room
// again. On the verge of being full one write still fits and the next does not; with HasRoom the
// store has gained room of its own.
func HasRoom(ctx context.Context, s Facts) error {
	if err := s.SetMeta(ctx, metaProbe, string(make([]byte, roomy))); err != nil {
		return err
	}
	return Writable(ctx, s)
}
