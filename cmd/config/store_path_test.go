package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pubsync/pubsync/cmd/config"
)

// An address in an env file is no path relative to that file.
func TestAnAddressOfAStoreStaysAsItIs(t *testing.T) {
	const want = "postgres://host/db"
	file := filepath.Join(t.TempDir(), "pubsync.env")
	if err := os.WriteFile(file, []byte("PUBSYNC_STORE_PATH="+want+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e, err := config.Read(nil, []string{file})
	if err != nil {
		t.Fatal(err)
	}
	c, _ := config.Load(e, config.ToLook)
	if c.StorePath != want {
		t.Errorf("got %q, want %q", c.StorePath, want)
	}
}
