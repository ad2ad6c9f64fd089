package harness

import (
	"os"

	"github.com/pubsync/pubsync/connector/engine"
)

// PutBack puts a copy of the store, made before, in its place.
func (b *Bench) PutBack(saved []byte) {
	b.T.Helper()
	if err := b.Store.Close(); err != nil {
		b.T.Fatal(err)
	}
	if err := os.WriteFile(b.Path, saved, 0o600); err != nil {
		b.T.Fatal(err)
	}
	b.Open()
	if err := b.Store.SetMeta(b.T.Context(), engine.MetaCopied, "2026-11-01T08:00:00Z"); err != nil {
		b.T.Fatal(err)
	}
}
