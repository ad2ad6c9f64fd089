package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pubsync/pubsync/cmd/config"
)

func TestSplitStore(t *testing.T) {
	for address, want := range map[string][2]string{
		"pubsync.db":                       {"", "pubsync.db"},
		"data/pubsync.db":                  {"", "data/pubsync.db"},
		"/var/lib/pubsync.db":              {"", "/var/lib/pubsync.db"},
		`C:\pubsync.db`:                    {"", `C:\pubsync.db`},
		"C:/pubsync.db":                    {"", "C:/pubsync.db"},
		"C://pubsync.db":                   {"", "C://pubsync.db"},
		"shop:1.db":                        {"", "shop:1.db"},
		"a b://c":                          {"", "a b://c"},
		"bolt:///var/lib/pubsync.db":       {"bolt", "/var/lib/pubsync.db"},
		"BOLT://pubsync.db":                {"bolt", "pubsync.db"},
		"postgres://user:word@host/db?a=b": {"postgres", "user:word@host/db?a=b"},
	} {
		if scheme, rest := config.SplitStore(address); scheme != want[0] || rest != want[1] {
			t.Errorf("%s: got the scheme %q before %q, want %q", address, scheme, rest, want)
		}
	}
}

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
