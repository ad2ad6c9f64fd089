package connector

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDocNamesTests holds the package's documentation to the code: each test that it names exists, each file too, and its table is stateOf's.
func TestDocNamesTests(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
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
	named := regexp.MustCompile(`\bTest[A-Z]\w+`).FindAllString(string(doc), -1)
	if len(named) < 5 {
		t.Fatalf("doc.go names only %v", named)
	}
	for _, name := range named {
		if !strings.Contains(tests.String(), "func "+name+"(") {
			t.Errorf("doc.go names %s, which is no test", name)
		}
	}
	for _, file := range regexp.MustCompile(`\b[a-z]+\.go\b`).FindAllString(string(doc), -1) {
		if _, err := os.Stat(file); err != nil {
			t.Errorf("doc.go names %s: %v", file, err)
		}
	}
	table := regexp.MustCompile(`(?m)^//\t(\w+) {2,}`).FindAllStringSubmatch(string(doc), -1)
	if len(table) != len(States) {
		t.Fatalf("doc.go has %d states, there are %d", len(table), len(States))
	}
	for i, row := range table {
		if row[1] != string(States[i]) {
			t.Errorf("row %d of doc.go is %s, want %s", i, row[1], States[i])
		}
	}
}
