package postgrestest

import (
	"bytes"
	"context"
	"errors"
	"maps"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pubsync/pubsync/store"
)

// Twice makes Update run its function twice, as a KV may. The test fails if the runs write different values.
func Twice(t rapid.TB, kv store.KV) store.KV {
	if f, ok := kv.(store.File); ok {
		return struct {
			twice
			store.File
		}{twice{kv, t}, f}
	}
	return twice{kv, t}
}

type twice struct {
	store.KV
	t rapid.TB
}

func (k twice) Update(ctx context.Context, declared []store.Key, fn func(*store.Tx) error) error {
	return k.KV.Update(ctx, declared, func(tx *store.Tx) error {
		var first map[store.Key][]byte
		_ = tx.Try(func(tx *store.Tx) error {
			_ = fn(tx)
			first = maps.Collect(tx.Writes())
			return errors.New("once more")
		})
		err := fn(tx)
		if second := maps.Collect(tx.Writes()); !maps.EqualFunc(first, second, bytes.Equal) {
			k.t.Errorf("a function that is run twice does not write the same: %s", cmp.Diff(first, second))
		}
		return err
	})
}
