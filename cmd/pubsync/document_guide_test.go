// The commands of the guide for authors of adapters work.

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

// blocks is the code blocks in a language of a document, without their indentation.
func blocks(t *testing.T, document, language string) []string {
	t.Helper()
	data, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range regexp.MustCompile("(?ms)^( *)```"+language+"\n(.*?)^ *```$").FindAllStringSubmatch(string(data),
		-1) {
		var b strings.Builder
		for line := range strings.Lines(m[2]) {
			b.WriteString(strings.TrimPrefix(line, m[1]))
		}
		out = append(out, b.String())
	}
	if len(out) == 0 {
		t.Fatalf("%s has no block of %s", document, language)
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
	// A shell that has ended leaves behind what it started: each is noted, and ended with it.
	script = strings.ReplaceAll(script, " &\n", " & started=\"$started $!\"\n")
	cmd := exec.CommandContext(t.Context(), "sh", "-ec", "trap 'test -z \"$started\" || kill $started' EXIT\n"+script)
	cmd.Dir, cmd.WaitDelay = dir, commandBound
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

// TestTheAdapterGuidesCommands runs the commands that the guide shows for an endpoint of one's own,
// against one.
func TestTheAdapterGuidesCommands(t *testing.T) {
	unraced(t)
	t.Parallel()
	own, market := openShop(t), freePort(t)
	mine := strings.NewReplacer("http://127.0.0.1:8090", own.server.URL, "a-token-of-yours", shopToken, "127.0.0.1:9465",
		market, "pubsync sandbox --restore", "pubsync sandbox --listen "+market+" --restore", "pubsync sandbox do",
		"pubsync sandbox do --at http://"+market)
	env := settings{}.with("ADMIN_LISTEN", "off")

	// The test's own shop is lenient on purpose, so that some law is broken; what counts here is
	// that conform asks it.
	first := blockWith(t, guide, "sh", "pubsync conform")
	out := shell(t, t.TempDir(), env,
		strings.Replace(mine.Replace(first), "pubsync conform", "pubsync conform || test $? = 1", 1))
	if !strings.Contains(out, "laws held") || !strings.Contains(out, "created ") || own.onSale() < 25 {
		t.Errorf("products in the shop: got %d, want 25 or more; printed %s", own.onSale(), out)
	}
	script := blockWith(t, guide, "sh", ">sandbox.env")
	// The sandbox has products that stand rejected and pending: a run says so with exit 1.
	script = strings.ReplaceAll(script, "--env-file sandbox.env", "--env-file sandbox.env || test $? = 1")
	if out := shell(t, t.TempDir(), env, mine.Replace(script)); !strings.Contains(out,
		"the retailer imports “Stoneware mug") ||
		!strings.Contains(out, "throttled 3 times") {
		t.Errorf("got %s, want the import and the throttling in it", out)
	}
}

func documents(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob("../../shopadapter/*/README.md")
	if err != nil || len(pages) < 4 {
		t.Fatalf("got %v, %v, want a page for each shop software", pages, err)
	}
	return append(pages, guide, readme, "../deploy/README.md")
}
