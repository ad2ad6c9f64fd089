package marketplace_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDocNamesWhatHoldsTheSpecification holds the table of the specification's sentences to the
// code: each row names a file that exists and a test that exists, or words that a README has.
func TestDocNamesWhatHoldsTheSpecification(t *testing.T) {
	const root = "../.."
	doc, err := os.ReadFile("doc_spec.go")
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	for _, dir := range []string{"cmd", "connector", "shopadapter", "store"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, _ fs.DirEntry, err error) error {
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
	}
	text := regexp.MustCompile(`\n// ?`).ReplaceAllString(string(doc), "\n")
	rows := strings.Split(text, "\n  - ")[1:]
	if len(rows) < 40 {
		t.Fatalf("only %d rows; len(rows): got %v, want at least %v", len(rows), len(rows), 40)
	}
	for _, row := range rows {
		row, _, _ = strings.Cut(row, "\n\n")
		row = strings.Join(strings.Fields(row), " ")
		_, where, ok := strings.Cut(row, ". (")
		if !ok {
			t.Errorf("no place: %s", row)
			continue
		}
		for part := range strings.SplitSeq(where, "; ") {
			path, names, _ := strings.Cut(part, ": ")
			if filepath.Base(path) == "README.md" {
				page, err := os.ReadFile(filepath.Join(root, path))
				if err != nil {
					t.Fatal(err)
				}
				said := strings.Join(strings.Fields(string(page)), " ")
				switch words := strings.Trim(names, `").`); {
				case len(words) < 10:
					t.Errorf("%s does not say %q: %s; len(words): got %v, want at least %v", path, words, row, len(words), 10)
				case !strings.Contains(said, words):
					t.Errorf("%s does not say %q: %s; strings.Contains(said, words): got false, want true", path, words, row)
				}
				continue
			}
			if _, err := os.Stat(filepath.Join(root, path)); err != nil {
				t.Errorf("no file %s: %s", path, row)
			}
			found := regexp.MustCompile(`\b(?:Test|Fuzz)[A-Z]\w+`).FindAllString(names, -1)
			if len(found) == 0 {
				t.Errorf("no test: %s; len(found): got %v, want another", row, len(found))
			}
			for _, name := range found {
				if !strings.Contains(tests.String(), "func "+name+"(") {
					t.Errorf("no test %s: %s", name, row)
				}
			}
		}
	}
}
