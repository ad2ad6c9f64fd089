// What the guide for authors of adapters says is so.

package main_test

import (
	"maps"
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

// blockWith is the block that holds a text.
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
	if _, err := exec.LookPath("curl"); err == nil {
		script += blockWith(t, guide, "sh", "curl ")
	}
	// The sandbox has products that stand rejected and pending: a run says so with exit 1.
	script = strings.ReplaceAll(script, "--env-file sandbox.env", "--env-file sandbox.env || test $? = 1")
	if out := shell(t, t.TempDir(), env, mine.Replace(script)); !strings.Contains(out,
		"the retailer imports “Stoneware mug") ||
		!strings.Contains(out, "throttled 3 times") {
		t.Errorf("got %s, want the import and the throttling in it", out)
	}
}

// TestTheGuidesCodeCompiles compiles every Go block of the guide and of the README, in a module of
// its own.
func TestTheGuidesCodeCompiles(t *testing.T) {
	t.Parallel()
	repository, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"myshop.go": "// Package myshop is an adapter's.\npackage myshop\n"}
	harness := "package myshop_test\n\nimport " +
		"(\n\t\"testing\"\n\n\t\"github.com/pubsync/pubsync/shopadapter/shopadaptertest\"\n)\n\n" +
		"func newHarness(*testing.T) shopadaptertest.Harness { return shopadaptertest.Harness{} }\n\n"
	contract := "package contract\n\nimport " +
		"(\n\t\"context\"\n\n\t\"github.com/pubsync/pubsync/shopadapter\"\n)\n\ntype (\n\tRef = " +
		"shopadapter.Ref\n\tProduct = shopadapter.Product\n" +
		"\tFields = shopadapter.Fields\n\tListing = shopadapter.Listing\n\tRemoval = shopadapter.Removal\n)\n\nvar " +
		"(\n\t_ Adapter = shopadapter.Adapter(nil)\n\t_ shopadapter.Adapter = Adapter(nil)\n)\n\n"
	shown := 0 // functions of the adapter that adapters new writes
	for place, document := range map[string]string{"guide": guide, "readme": readme} {
		for _, block := range blocks(t, document, "go") {
			switch {
			case strings.HasPrefix(block, "package main"):
				files[place+"main/main.go"] = block
			case strings.HasPrefix(block, "func TestLaws("):
				files[place+"laws/laws_test.go"] = harness + block
			case strings.HasPrefix(block, "type Adapter interface"):
				files[place+"contract/contract.go"] = contract + block
			case holds(t, block):
				shown++
			default:
				t.Errorf("%s has a block that nothing compiles:\n%s", document, block)
			}
		}
	}
	if want := 5; shown != want {
		t.Errorf("functions of the adapter that the guide shows: got %d, want %d", shown, want)
	}
	if len(files) != 6 {
		t.Errorf("files compiled: got %v, want 6", slices.Sorted(maps.Keys(files)))
	}
	dir := module(t, repository, "example.com/myshop", files)
	vet := exec.CommandContext(t.Context(), "go", "vet", "-mod=mod", "./...")
	vet.Dir, vet.Env = dir, append(os.Environ(), "GOWORK=off", "GOPROXY=off")
	if out, err := vet.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// holds tells whether a block is a part of the adapter that adapters new writes, to the letter. That
// adapter is built, and held to the laws, where it stands and as it is written.
func holds(t *testing.T, block string) bool {
	t.Helper()
	files, err := filepath.Glob("../internal/newadapter/template/myshop/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("the files of the adapter: got %v, %v, want some", files, err)
	}
	return slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		return err == nil && strings.Contains(string(text), "\n"+block)
	})
}

// TestEachCommandOfTheGuideIsRun keeps a block from being added that nothing runs.
func TestEachCommandOfTheGuideIsRun(t *testing.T) {
	t.Parallel()
	for _, block := range blocks(t, guide, "sh") {
		if !slices.ContainsFunc([]string{"pubsync conform", ">sandbox.env", "curl ", "pubsync adapters new"},
			func(s string) bool { return strings.Contains(block, s) }) {
			t.Errorf("got a block that no test runs, want none:\n%s", block)
		}
	}
}

// documents are the pages of the repository that a user reads.
func documents(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob("../../shopadapter/*/README.md")
	if err != nil || len(pages) < 4 {
		t.Fatalf("got %v, %v, want a page for each shop software", pages, err)
	}
	return append(pages, guide, readme, "../../connector/README.md")
}

// TestTheFirstPageIsShort keeps the README one that is read in ten minutes.
func TestTheFirstPageIsShort(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	if most := 12 << 10; len(data) > most {
		t.Errorf("the README has %d bytes, want at most %d: move what not every reader needs to a page that it links",
			len(data), most)
	}
}

// TestTheDocumentsLinkToWhatThereIs follows the links within the repository.
func TestTheDocumentsLinkToWhatThereIs(t *testing.T) {
	t.Parallel()
	linked := map[string]bool{}
	for _, document := range documents(t) {
		data, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\]\(([^)#]+)\)`).FindAllStringSubmatch(string(data), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			file := filepath.Join(filepath.Dir(document), m[1])
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s: got %v, want nil", document, err)
			}
			linked[document+" "+filepath.Base(file)] = true
		}
	}
	for _, want := range []string{"openapi.yaml", "server.mjs", "server.py", "server.php"} {
		if !linked[readme+" "+want] || !linked[guide+" "+want] {
			t.Errorf("%s is not linked from both documents", want)
		}
	}
}
