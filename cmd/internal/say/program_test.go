package say

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The command is the one that was typed, and go run where that made it.
func TestProgram(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "cmd", "pubsync"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	const path, module = "github.com/pubsync/pubsync/cmd/pubsync", "github.com/pubsync/pubsync"
	cached := "/home/me/.cache/go-build/05/" + strings.Repeat("0a", 32) + "-d/pubsync"
	for name, want := range map[string]string{
		"pubsync": "pubsync",
		"./other": "./other", "/opt/pubsync": "/opt/pubsync",
		"/tmp/go-build593687873/b001/exe/pubsync": "go run " + path, // no go.mod here yet
	} {
		if got := program(name, path, module); got != want {
			t.Errorf("started as %s: got %q, want %q", name, got, want)
		}
	}
	if err := os.WriteFile("go.mod", []byte("module "+module+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"/tmp/go-build593687873/b001/exe/pubsync", cached} {
		if got, want := program(name, path, module), "go run ./cmd/pubsync"; got != want {
			t.Errorf("started as %s: got %q, want %q", name, got, want)
		}
	}
}
