package cmd

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/cmd/internal/exit"
)

func TestGoModOfANewAdapter(t *testing.T) {
	defer func(old string) { version = old }(version)
	n := &newAdapterCommand{Name: "tea", Module: "example.com/tea"}
	for built, requires := range map[string]string{
		"v1.2.3":       "\nrequire github.com/pubsync/pubsync v1.2.3\n",
		"v1.2.3-rc.1":  "\nrequire github.com/pubsync/pubsync v1.2.3-rc.1\n",
		"v0.1.0+dirty": "", // no proxy has it: go mod tidy takes the latest
		"devel":        "",
	} {
		version = built
		want := "module example.com/tea\n\ngo " + strings.TrimPrefix(goVersion, "go") + "\n" + requires
		if got := n.goMod(); got != want {
			t.Errorf("built as %s: %q, want %q", built, got, want)
		}
	}
}

func TestGoVersionIsThatOfTheModule(t *testing.T) {
	text, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if m := regexp.MustCompile(`(?m)^go (\S+)$`).FindStringSubmatch(string(text)); m == nil || "go"+m[1] != goVersion {
		t.Errorf("go.mod says %v, newadapter.go says %s", m, goVersion)
	}
}

func TestCheckoutOfANewAdapter(t *testing.T) {
	repository, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	if dir, err := (&newAdapterCommand{Checkout: ".."}).checkout(); dir != repository || err != nil {
		t.Errorf("%s, %v", dir, err)
	}
	if dir, err := (&newAdapterCommand{Checkout: "."}).checkout(); dir != "" || exit.CodeOf(err) != 2 {
		t.Errorf("a folder without the module: %s, %v", dir, err)
	}
	if dir, err := (&newAdapterCommand{}).checkout(); dir != repository || err != nil {
		t.Errorf("of no release, called within the source: %s, %v", dir, err)
	}
	defer func(old string) { version = old }(version)
	version = "v1.2.3"
	if dir, err := (&newAdapterCommand{}).checkout(); dir != "" || err != nil {
		t.Errorf("of a release: %s, %v", dir, err)
	}
}

// A program that was built without the paths of its source finds the source around itself.
func TestCheckoutAbove(t *testing.T) {
	t.Parallel()
	repository, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		filepath.Join(repository, "pubsync"):                      repository,
		filepath.Join(repository, "cmd", "pubsync", "bin", "any"): repository,
		filepath.Join(t.TempDir(), "pubsync"):                     "",
		"github.com/pubsync/pubsync/cmd/newadapter.go":            "",
	} {
		if dir := checkoutAbove(file); dir != want {
			t.Errorf("%s: %q, want %q", file, dir, want)
		}
	}
}
