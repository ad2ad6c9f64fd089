package newadapter

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestGoMod(t *testing.T) {
	for built, requires := range map[string]string{
		"v1.2.3":       "\nrequire github.com/pubsync/pubsync v1.2.3\n",
		"v1.2.3-rc.1":  "\nrequire github.com/pubsync/pubsync v1.2.3-rc.1\n",
		"v0.1.0+dirty": "", // no proxy has it: go mod tidy takes the latest
		"devel":        "",
	} {
		m := &Module{Path: "example.com/tea", Version: built}
		want := "module example.com/tea\n\ngo " + strings.TrimPrefix(goVersion, "go") + "\n" + requires
		if got := m.goMod(); got != want {
			t.Errorf("built as %s: %q, want %q", built, got, want)
		}
	}
}

func TestGoVersionIsThatOfTheModule(t *testing.T) {
	text, err := os.ReadFile("../../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if m := regexp.MustCompile(`(?m)^go (\S+)$`).FindStringSubmatch(string(text)); m == nil || "go"+m[1] != goVersion {
		t.Errorf("go.mod says %v, gomod.go says %s", m, goVersion)
	}
}

func TestCheckout(t *testing.T) {
	repository, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, given string
		release     bool
		want        string
		ok          bool
	}{
		{"the folder that is given", "../../..", true, repository, true},
		{"a folder without the module", ".", false, "", false},
		{"no release, called within the source", "", false, repository, true},
		{"a release", "", true, "", true},
	} {
		dir, err := Checkout(tt.given, tt.release)
		if dir != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, dir, tt.want)
		}
		if (err == nil) != tt.ok {
			t.Errorf("%s: error %v, want one: %t", tt.name, err, !tt.ok)
		}
	}
}

// A program that was built without the paths of its source finds the source around itself.
func TestCheckoutAbove(t *testing.T) {
	t.Parallel()
	repository, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		filepath.Join(repository, "pubsync"):                      repository,
		filepath.Join(repository, "cmd", "pubsync", "bin", "any"): repository,
		filepath.Join(t.TempDir(), "pubsync"):                     "",
		"github.com/pubsync/pubsync/cmd/any.go":                   "",
	} {
		if dir := checkoutAbove(file); dir != want {
			t.Errorf("%s: %q, want %q", file, dir, want)
		}
	}
}
