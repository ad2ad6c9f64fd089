package cmd

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pubsync/pubsync/shopadapter/http/conform"
)

// The results follow no link out of the folder, and write into no file that has another name
// besides.
func TestWriteJUnitFollowsNoLink(t *testing.T) {
	results := []conform.Result{{Law: "publish", Outcome: conform.Held}}
	for _, tt := range []struct {
		name string
		make func(target, file string) error
		ok   bool
	}{
		{"no file", func(string, string) error { return nil }, true},
		{"a file", func(_, file string) error { return os.WriteFile(file, []byte("old"), 0o600) }, true},
		{"a symbolic link", os.Symlink, false},
		{"a link to nothing", func(target, file string) error { return os.Symlink(target+".missing", file) }, false},
		{"a hard link", os.Link, true},
		{"a folder", func(_, file string) error { return os.Mkdir(file, 0o700) }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			target, file := filepath.Join(dir, "precious"), filepath.Join(t.TempDir(), "laws.xml")
			if err := os.WriteFile(target, []byte("precious"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := tt.make(target, file); err != nil {
				t.Fatal(err)
			}
			if err := writeJUnit(file, results); (err == nil) != tt.ok {
				t.Errorf("written: %v, want it written: %t", err, tt.ok)
			}
			got, err := os.ReadFile(target)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != "precious" {
				t.Errorf("the target holds %q, want what it held", got)
			}
			for what, folder := range map[string]string{"target": dir, "results": filepath.Dir(file)} {
				entries, err := os.ReadDir(folder)
				if err != nil {
					t.Fatal(err)
				}
				if len(entries) != 1 {
					t.Errorf("in the folder of the %s lie %v, want nothing else", what, entries)
				}
			}
			if !tt.ok {
				return
			}
			info, err := os.Lstat(file)
			if err != nil {
				t.Fatal(err)
			}
			if !info.Mode().IsRegular() {
				t.Errorf("the results are %s, want a regular file", info.Mode())
			}
			if info.Size() < 100 {
				t.Errorf("the results have %d bytes, want at least 100", info.Size())
			}
		})
	}
}
