package newadapter

import (
	"os"
	"os/exec"
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

// The module of a program that was installed from a release requires that release, and all that it
// requires, each with its sum: go asks nobody.
func TestGoModOfAnInstalledRelease(t *testing.T) {
	cached, dir := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module " + Pubsync + "\n\ngo 1.26.0\n\nrequire (\n\tgo.uber.org/goleak v1.3.0\n)\n",
		"go.sum": "go.uber.org/goleak v1.3.0 h1:x=\n",
	} {
		if err := os.WriteFile(filepath.Join(cached, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m := &Module{Name: "tea", Path: "example.com/tea", Dir: dir, Version: "v1.2.3", Cached: cached, Sum: "h1:sum="}
	if got := m.Tidy(); got != "" {
		t.Errorf("the command that completes go.mod: got %q, want none", got)
	}
	if err := m.Write(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, wants := range map[string][]string{
		"go.mod": {"\nrequire " + Pubsync + " v1.2.3\n", "\tgo.uber.org/goleak v1.3.0 // indirect\n"},
		"go.sum": {
			"go.uber.org/goleak v1.3.0 h1:x=\n", Pubsync + " v1.2.3 h1:sum=\n", "\n" + Pubsync + " v1.2.3/go.mod h1:",
		},
	} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(string(got), want) {
				t.Errorf("%s: got %s, want %q in it", name, got, want)
			}
		}
		if strings.Contains(string(got), "replace") {
			t.Errorf("%s: got a replace, want none", name)
		}
	}
}

// TestModSum holds the sum of a go.mod to one that Go has made.
func TestModSum(t *testing.T) {
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output() //nolint:noctx // it ends at once
	if err != nil {
		t.Skipf("there is no go on this machine: %v", err)
	}
	const module, version = "github.com/google/go-cmp", "v0.7.0"
	mod, err := os.ReadFile(
		filepath.Join(strings.TrimSpace(string(cache)), "cache/download", module, "@v", version+".mod"),
	)
	if err != nil {
		t.Skipf("the module cache lacks %s: %v", module, err)
	}
	sums, err := os.ReadFile("../../../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	if want := module + " " + version + "/go.mod " + modSum(mod) + "\n"; !strings.Contains(string(sums), want) {
		t.Errorf("go.sum: got no line %q, want it", want)
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
