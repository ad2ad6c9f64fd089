//go:build unix

package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// secretFileCases is files that a secret's _FILE form may name, made in a folder.
func secretFileCases(t *testing.T, dir string) map[string]struct{ path, want, fault string } {
	t.Helper()
	at := func(name string) string { return filepath.Join(dir, name) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	write := func(name, text string) string {
		t.Helper()
		must(os.WriteFile(at(name), []byte(text), 0o600))
		return at(name)
	}
	must(os.MkdirAll(at("..2026"), 0o700))
	must(os.WriteFile(at("..2026/token"), []byte("of-kubernetes\n"), 0o600))
	must(os.Symlink("..2026", at("..data")))
	must(os.Symlink("..data/token", at("mounted")))
	must(syscall.Mkfifo(at("fifo"), 0o600))
	must(os.WriteFile(at("huge"), nil, 0o600))
	must(os.Truncate(at("huge"), 1<<40)) // a file with a hole
	most := strings.Repeat("x", 64<<10)
	return map[string]struct{ path, want, fault string }{
		"plain":           {write("plain", "the-secret"), "the-secret", ""},
		"a final newline": {write("newline", "the-secret\n"), "the-secret", ""},
		"CRLF":            {write("crlf", "the-secret\r\n"), "the-secret", ""},
		"Kubernetes":      {at("mounted"), "of-kubernetes", ""},
		"more":            {write("more", most+"x"), "", "larger than 64 KiB"},
		"a terabyte":      {at("huge"), "", "larger than 64 KiB"},
		"empty":           {write("empty", ""), "", "is empty"},
		"two lines":       {write("two", "the-secret\nanother\n"), "", "control character"},
		"a tab":           {write("tab", "the\tsecret"), "", "control character"},
		"a NUL":           {write("nul", "the-secret\x00"), "", "save it as UTF-8"},
		"C1":              {write("c1", "the\u0085secret"), "", "control character"},
		"nothing":         {at("nothing"), "", "no such file"},
		"a directory":     {dir, "", "a directory"},
		"a named pipe":    {at("fifo"), "", "a named pipe"},
		"a device":        {"/dev/null", "", "a device"},
	}
}

// Nobody writes to the pipes, so a reading that waits ends this test with its time.
func TestReadSecretFile(t *testing.T) {
	for name, tt := range secretFileCases(t, t.TempDir()) {
		e, err := Read([]string{"PUBSYNC_HTTP_TOKEN_FILE=" + tt.path}, nil)
		if err != nil {
			t.Fatal(err)
		}
		values, faults := e.Values()
		got, err := values["PUBSYNC_HTTP_TOKEN"], errors.Join(faults...)
		switch {
		case got != tt.want:
			t.Errorf("%s: %.40q, want %.40q", name, got, tt.want)
		case tt.fault == "" && err != nil, tt.fault != "" && (err == nil || !strings.Contains(err.Error(), tt.fault)):
			t.Errorf("%s: %v, want %q", name, err, tt.fault)
		case err != nil && strings.Contains(err.Error(), "secret-"):
			t.Errorf("%s: the value is shown: %v", name, err)
		}
	}
}
