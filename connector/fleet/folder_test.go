package fleet

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// A file counts once it has been still for a second, whatever becomes of the others. Until then what
// was before it counts, also where it is gone for a moment.
func TestAFileCountsWhenItIsStill(t *testing.T) {
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
	f := folder{counts: map[string]string{}}
	for _, tt := range []struct {
		name    string
		do      func()
		want    []string
		changed bool
	}{
		{"at the first look, which may be of half a file", write("one", "1"), nil, false},
		{"when it is still", nil, []string{"one 1"}, true},
		{"when another comes", write("two", "1"), []string{"one 1"}, false},
		{"while one is written", write("one", "12"), []string{"one 1", "two 1"}, true},
		{"while it is written on", write("one", "123"), []string{"one 1", "two 1"}, false},
		{"when it is still again", nil, []string{"one 3", "two 1"}, true},
		{"when it is gone for a moment", gone, []string{"one 3", "two 1"}, false},
		{"when it is back", write("one", "123"), []string{"one 3", "two 1"}, false},
		{"when it has gone", gone, []string{"one 3", "two 1"}, false},
		{"when it has been gone for a second", nil, []string{"two 1"}, true},
	} {
		if tt.do != nil {
			tt.do()
		}
		files := map[string]string{}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			files[e.Name()] = filepath.Join(dir, e.Name())
		}
		changed := f.look(files)
		var got []string
		for name, version := range f.counts {
			got = append(got, name+" "+version[len(version)-1:])
		}
		if slices.Sort(got); changed != tt.changed || !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, changed %t, want %q, %t", tt.name, got, changed, tt.want, tt.changed)
		}
	}
}
