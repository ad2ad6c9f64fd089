// The blocks of code in the pages, and how the tests run them.

package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	guide  = "../../shopadapter/README.md"
	readme = "../../README.md"
)

// blocks is the code blocks in a language of a document.
func blocks(t *testing.T, document, language string) (out []string) {
	t.Helper()
	data, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(string(data), -1) {
		out = append(out, m[1])
	}
	return out
}

func blockWith(t *testing.T, document, language, text string) string {
	t.Helper()
	for _, b := range blocks(t, document, language) {
		if strings.Contains(b, text) {
			return b
		}
	}
	t.Fatalf("%s has no block of %s with %q", document, language, text)
	return ""
}

// shell runs lines of a shell in a folder, with the program under test in the path, and returns
// what they print.
func shell(t *testing.T, dir string, env settings, script string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-ec", script)
	cmd.Dir = dir
	// what is set for the tests themselves is no setting of the program
	environ := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "PUBSYNC_") })
	cmd.Env = slices.Concat(environ,
		[]string{"PATH=" + filepath.Dir(binary) + string(os.PathListSeparator) + os.Getenv("PATH")}, env.environ())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s\nprinted %s", err, script, out)
	}
	return string(out)
}
