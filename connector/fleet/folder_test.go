package fleet

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// A change of the folder counts once it has been still for a second. Until then what was before it
// counts, also where a file is gone for a moment.
func TestAFolderCountsWhenItIsStill(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) func() {
		return func() {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			at := time.Unix(int64(len(text)), 0)
			if err := os.Chtimes(filepath.Join(dir, name), at, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	gone := func() { _ = os.Remove(filepath.Join(dir, "one")) }
	f := &Folder{List: func() (map[string]string, error) {
		files := map[string]string{}
		entries, err := os.ReadDir(dir)
		for _, e := range entries {
			files[e.Name()] = filepath.Join(dir, e.Name())
		}
		return files, err
	}}
	if f.Settled() {
		t.Error("before the first look: the folder is settled")
	}
	for _, tt := range []struct {
		name             string
		do               func()
		want             []string
		changed, settled bool
	}{
		{"at the start", write("one", "1"), []string{"one"}, true, true},
		{"when another comes", write("two", "1"), []string{"one"}, false, false},
		{"when it is still", nil, []string{"one", "two"}, true, true},
		{"while one is written", write("one", "12"), []string{"one", "two"}, false, false},
		{"while it is written on", write("one", "123"), []string{"one", "two"}, false, false},
		{"when it is still again", nil, []string{"one", "two"}, true, true},
		{"when it is gone for a moment", gone, []string{"one", "two"}, false, false},
		{"when it is back", write("one", "123"), []string{"one", "two"}, false, true},
		{"when it has gone", gone, []string{"one", "two"}, false, false},
		{"when it has been gone for a second", nil, []string{"two"}, true, true},
	} {
		if tt.do != nil {
			tt.do()
		}
		changed, err := f.look()
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Sorted(maps.Keys(f.applied)); changed != tt.changed || !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, changed %t, want %q, %t", tt.name, got, changed, tt.want, tt.changed)
		}
		if got := f.Settled(); got != tt.settled {
			t.Errorf("%s: settled %t, want %t", tt.name, got, tt.settled)
		}
	}
}
