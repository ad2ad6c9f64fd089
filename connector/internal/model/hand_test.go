package model

import (
	"os"
	"testing"

	"github.com/robfig/cron/v3"

	"github.com/pubsync/pubsync/connector/internal/harness"
)

// lose drops the store, as a disk that died would.
func lose(b *harness.Bench) {
	b.T.Helper()
	if err := b.Store.Close(); err != nil {
		b.T.Fatal(err)
	}
	if err := os.Remove(b.Path); err != nil {
		b.T.Fatal(err)
	}
	b.Open()
}

// schedule is a schedule in cron's words.
func schedule(t *testing.T, spec string) cron.Schedule {
	t.Helper()
	s, err := cron.ParseStandard(spec)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
