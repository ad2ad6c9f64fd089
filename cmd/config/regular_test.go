package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadRegular(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.WriteFile(file, []byte("12345678"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("file", link); err != nil {
		t.Skip("this file system knows no links")
	}
	for _, tt := range []struct {
		path  string
		most  int64
		fault string
	}{
		{file, 8, ""},
		{link, 8, ""},
		{file, 7, "larger than"},
		{dir, 8, "a directory"},
		{os.DevNull, 8, "a device"},
		{file + "x", 8, "cannot be read"},
	} {
		data, err := readRegular(tt.path, tt.most)
		switch {
		case tt.fault == "" && (err != nil || string(data) != "12345678"):
			t.Errorf("%s: %q, %v", tt.path, data, err)
		case tt.fault != "" &&
			(err == nil || data != nil || !strings.Contains(err.Error(), tt.fault) || strings.Contains(err.Error(), dir)):
			t.Errorf("%s: %q, %v, want %q", tt.path, data, err, tt.fault)
		}
	}
}
