package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The process wins over the files, a later file over an earlier one, each with its own _FILE forms.
// Within one of them a secret stands in one place.
func TestValues(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return filepath.Join(dir, name)
	}
	const token, file = "PUBSYNC_HTTP_TOKEN=", "PUBSYNC_HTTP_TOKEN_FILE="
	secret := write("secret", "of-its-own-file")
	for name, tt := range map[string]struct {
		process       []string
		first, second string
		want, fault   string
	}{
		"process over files":            {[]string{token + "p"}, file + secret, token + "2", "p", ""},
		"its own file over files":       {[]string{file + secret}, token + "1", token + "2", "of-its-own-file", ""},
		"the later file":                {nil, token + "1", token + "2", "2", ""},
		"the later file names a file":   {nil, token + "1", file + secret, "of-its-own-file", ""},
		"the earlier file names a file": {nil, file + secret, token + "2", "2", ""},
		"an empty value is unset":       {[]string{token, file}, token + "1", token, "1", ""},
		"twice in the process": {
			[]string{token + "p", file + secret},
			"", "", "",
			"PUBSYNC_HTTP_TOKEN: is set, and so is",
		},
		"twice in a file": {
			nil, "", token + "2\n" + file + secret, "",
			"PUBSYNC_HTTP_TOKEN: is set, and so is",
		},
		"nothing below a fault":     {[]string{file + "/no/such"}, token + "1", "", "", "PUBSYNC_HTTP_TOKEN_FILE: "},
		"a fault below what is set": {[]string{token + "p"}, file + "/no/such", "", "p", ""},
	} {
		e := Read(tt.process, []string{write("first.env", tt.first), write("second.env", tt.second)})
		values, faults := e.Values()
		if got := values["PUBSYNC_HTTP_TOKEN"]; got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
		if tt.fault == "" && len(faults) > 0 ||
			tt.fault != "" && (len(faults) != 1 || !strings.HasPrefix(faults[0].Error(), tt.fault)) {
			t.Errorf("%s: faults %v, want %q", name, faults, tt.fault)
		}
	}
}
