package connector_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/store"
)

// TestDocNamesTests holds the documentation to the code: each test that it names exists, the
// guarantees are few enough to be held in mind, and the table of states is publication.StateOf's.
func TestDocNamesTests(t *testing.T) {
	pages, err := filepath.Glob("*/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var doc, all strings.Builder
	for _, page := range append(pages, "doc.go", "../store/bolt/doc.go", "../shopadapter/woocommerce/doc.go") {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(data)
		if page == "doc.go" {
			doc.Write(data)
		}
	}
	var tests strings.Builder
	err = filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		data, err := os.ReadFile(path)
		tests.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`\bTest[A-Z]\w+`).FindAllString(all.String(), -1)
	if len(named) < 100 {
		t.Fatalf("got %d tests named, want at least 100", len(named))
	}
	guarantees := strings.Count(section(t, doc.String(), "What is guaranteed"), "\n//   - ")
	if guarantees < 15 || guarantees > 25 {
		t.Errorf("got %d guarantees, want 25 at most: what is finer stands in the package that keeps it", guarantees)
	}
	for _, name := range named {
		if !strings.Contains(tests.String(), "func "+name+"(") {
			t.Errorf("the documentation names %s, which is no test", name)
		}
	}
	table := regexp.MustCompile(`(?m)^//\t(\w+) {2,}`).FindAllStringSubmatch(section(t, doc.String(), "States"), -1)
	if len(table) != len(store.States()) {
		t.Fatalf("got %d states in doc.go, want %d", len(table), len(store.States()))
	}
	for i, row := range table {
		if row[1] != string(store.States()[i]) {
			t.Errorf("row %d of doc.go is %s, want %s", i, row[1], store.States()[i])
		}
	}
}

// section is the part of a package's documentation under a heading.
func section(t *testing.T, doc, heading string) string {
	t.Helper()
	_, rest, found := strings.Cut(doc, "// # "+heading+"\n")
	if !found {
		t.Fatalf("doc.go has no section %s", heading)
	}
	part, _, _ := strings.Cut(rest, "\n// # ")
	return part
}

// TestDocNamesPlaces holds the map of the code to the tree: each path that it names exists, and
// each folder of the connector stands in it.
func TestDocNamesPlaces(t *testing.T) {
	data, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(data)
	paths := regexp.MustCompile(`\b(?:cmd|connector|store|shopadapter)/[\w/]+(?:\.\w+)?`).
		FindAllString(section(t, doc, "Where to change what")+section(t, doc, "Layout"), -1)
	if len(paths) < 20 {
		t.Fatalf("doc.go names only %v", paths)
	}
	for _, path := range paths {
		if _, err := os.Stat(filepath.Join("..", path)); err != nil {
			t.Errorf("doc.go names %s: got %v, want no error", path, err)
		}
	}
	for _, file := range regexp.MustCompile(`[^/\w]([a-z]+\.go)\b`).FindAllStringSubmatch(doc, -1) {
		if _, err := os.Stat(file[1]); err != nil {
			t.Errorf("doc.go names %s: got %v, want no error", file[1], err)
		}
	}
	folders, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		if f.IsDir() && f.Name() != "testdata" &&
			!strings.Contains(section(t, doc, "Layout"), "\tconnector/"+f.Name()+" ") {
			t.Errorf("doc.go does not say what connector/%s is for", f.Name())
		}
	}
}
