// A Go module outside this repository that uses pubsync.

package main_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// module writes a module outside this repository, which it takes pubsync from, and returns its
// folder.
func module(t *testing.T, repository, path string, source map[string]string) string {
	t.Helper()
	needs, err := os.ReadFile(filepath.Join(repository, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(repository, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	// The requirements of the repository are the module's too. With fewer, Go would read the go.mod
	// of older versions, which a fresh module cache lacks.
	_, required, _ := strings.Cut(string(needs), "\nrequire (")
	dir := t.TempDir()
	files := map[string]string{
		"go.mod": "module " + path + "\n\ngo 1.26.0\n\nrequire github.com/pubsync/pubsync v0.0.0\n\n" +
			"replace github.com/pubsync/pubsync => " + repository + "\n\nrequire (" + required,
		"go.sum": string(sums),
	}
	maps.Copy(files, source)
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
