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

// Nobody writes to the pipe, so a reading that waits ends this test with its time.
func TestReadSecretFile(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(
		os.Mkdir(at("..2026"), 0o700), os.WriteFile(at("..2026/token"), []byte("of-kubernetes\n"), 0o600),
		os.Symlink("..2026", at("..data")), os.Symlink("..data/token", at("mounted")),
		syscall.Mkfifo(at("fifo"), 0o600), os.WriteFile(at("huge"), nil, 0o600),
		os.Truncate(at("huge"), 1<<40), // a file with a hole
	); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) string {
		t.Helper()
		if err := os.WriteFile(at(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return at(name)
	}
	for name, tt := range map[string]struct{ path, want, fault string }{
		"plain":        {write("plain", "the-secret"), "the-secret", ""},
		"CRLF":         {write("crlf", "the-secret\r\n"), "the-secret", ""},
		"Kubernetes":   {at("mounted"), "of-kubernetes", ""},
		"more":         {write("more", strings.Repeat("x", 64<<10+1)), "", "larger than 64 KiB"},
		"a terabyte":   {at("huge"), "", "larger than 64 KiB"},
		"empty":        {write("empty", ""), "", "is empty"},
		"two lines":    {write("two", "the-secret\nanother\n"), "", "control character"},
		"a NUL":        {write("nul", "the-secret\x00"), "", "save it as UTF-8"},
		"C1":           {write("c1", "the\u0085secret"), "", "control character"},
		"nothing":      {at("nothing"), "", "no such file"},
		"a directory":  {dir, "", "a directory"},
		"a named pipe": {at("fifo"), "", "a named pipe"},
		"a device":     {"/dev/null", "", "a device"},
	} {
		e := Read([]string{"PUBSYNC_HTTP_TOKEN_FILE=" + tt.path}, nil)
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
