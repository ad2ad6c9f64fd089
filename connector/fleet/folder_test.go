package fleet

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// A file counts once it has been still for a second. Until then the version before it counts, also
// where the file is gone for a moment.
func TestAFileCountsWhenItIsStill(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, at time.Time) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	start := time.Now()
	write("old", "1", start.Add(-time.Hour))
	write("fresh", "1", start)
	f := &Folder{List: func() (map[string]string, error) {
		files := map[string]string{}
		entries, err := os.ReadDir(dir)
		for _, e := range entries {
			files[e.Name()] = filepath.Join(dir, e.Name())
		}
		return files, err
	}}
	var before map[string]string
	both := []string{"fresh", "old"}
	for _, tt := range []struct {
		name    string
		at      time.Duration
		do      func()
		want    []string
		changed bool
	}{
		{"at the start", 0, nil, []string{"old"}, true},
		{"when fresh is still", time.Second, nil, both, true},
		{
			"while old is written", 2 * time.Second, func() { write("old", "12", start.Add(2*time.Second)) },
			both,
			false,
		},
		{
			"while old is written on", 3 * time.Second, func() { write("old", "123", start.Add(3*time.Second)) },
			both,
			false,
		},
		{"when old is still", 4 * time.Second, nil, both, true},
		{
			"when old is gone for a moment", 5 * time.Second, func() { os.Remove(filepath.Join(dir, "old")) },
			both,
			false,
		},
		{"when old is back", 6 * time.Second, func() { write("old", "123", start.Add(3*time.Second)) }, both, false},
		{"when old has gone", 7 * time.Second, func() { os.Remove(filepath.Join(dir, "old")) }, both, false},
		{"when old has been gone for a second", 8 * time.Second, nil, []string{"fresh"}, true},
	} {
		if tt.do != nil {
			tt.do()
		}
		changed, err := f.look(start.Add(tt.at))
		if err != nil {
			t.Fatal(err)
		}
		if changed != tt.changed {
			t.Errorf("%s: changed %t, want %t", tt.name, changed, tt.changed)
		}
		if got := slices.Sorted(maps.Keys(f.applied)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got the accounts %q, want %q", tt.name, got, tt.want)
		}
		if !tt.changed && !maps.Equal(before, f.applied) {
			t.Errorf("%s: got the versions %v, want %v", tt.name, f.applied, before)
		}
		before = maps.Clone(f.applied)
	}
}

// Until the folder has been read, and while a file is being written, the folder is not settled.
func TestSettled(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new")
	if err := os.WriteFile(file, []byte("1"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := &Folder{List: func() (map[string]string, error) { return map[string]string{"new": file}, nil }}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		at      time.Duration // after the file was written; negative: it is not read
		settled bool
	}{
		{"before the first look", -1, false},
		{"while it is fresh", 0, false},
		{"when it is still", time.Second, true},
	} {
		if tt.at >= 0 {
			if _, err := f.look(info.ModTime().Add(tt.at)); err != nil {
				t.Fatal(err)
			}
		}
		if got := f.Settled(); got != tt.settled {
			t.Errorf("%s: settled %t, want %t", tt.name, got, tt.settled)
		}
	}
}
