package marketplace

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// specificationNames reads testdata/specification.names: for each name the packages that use it,
// and the names that are left alone for a reason.
func specificationNames(t *testing.T) (used map[string][]string, left map[string]bool) {
	t.Helper()
	text, err := os.ReadFile("testdata/specification.names")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`^([\w*/]+(?:, [\w*/]+)*)\s+(?:(- .{10,})|(\w+))$`)
	used, left = map[string][]string{}, map[string]bool{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == '=' {
			continue
		}
		parts := row.FindStringSubmatch(line)
		if parts == nil {
			t.Fatalf("got the line %q, want names, and a package or a hyphen and a reason", line)
		}
		for name := range strings.SplitSeq(parts[1], ", ") {
			if parts[3] == "" {
				left[name] = true
			} else {
				used[name] = append(used[name], parts[3])
			}
		}
	}
	return used, left
}

// TestUsedNamesOfTheSpecification holds each name to the package that is said to use it.
func TestUsedNamesOfTheSpecification(t *testing.T) {
	used, left := specificationNames(t)
	switch {
	case len(used) < 50:
		t.Fatalf(
			"got %d names used and %d left alone, want at least 50 of each; len(used): got %v, want at least %v",
			len(used), len(left), len(used), 50,
		)
	case len(left) < 50:
		t.Fatalf(
			"got %d names used and %d left alone, want at least 50 of each; len(left): got %v, want at least %v",
			len(used), len(left), len(left), 50,
		)
	}
	for name, packages := range used {
		word := regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(name) + `\b`)
		for _, dir := range packages {
			files, err := filepath.Glob(filepath.Join("..", dir, "*.go"))
			if err != nil {
				t.Fatal(err)
			}
			internal, err := filepath.Glob(filepath.Join("..", dir, "internal", "*", "*.go"))
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, internal...)
			found := false
			for _, file := range files {
				if strings.HasSuffix(file, "_test.go") || strings.HasPrefix(filepath.Base(file), "doc") {
					continue
				}
				code, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				found = found || word.Match(code)
			}
			if !found {
				t.Errorf("got no use of %s in connector/%s, want one", name, dir)
			}
		}
	}
}

// TestRequestedNamesOfTheSpecification holds the list to the documents: a field that is asked for
// is listed as used.
func TestRequestedNamesOfTheSpecification(t *testing.T) {
	used, _ := specificationNames(t)
	c := choices()[0]
	schema := c.schema(t)
	w := validating(schema, true)
	exercise(
		t, New(Config{URL: "https://market.test", Token: token, Languages: []string{"en"}, Transport: w}), c.sorted,
	)
	asked := map[string]bool{}
	for _, s := range w.seen {
		if strings.Contains(s.Query, "__schema") {
			continue
		}
		doc, errs := gqlparser.LoadQueryWithRules(schema, s.Query, rules.NewDefaultRules())
		if errs != nil {
			continue // a form that this server does not know
		}
		for _, operation := range doc.Operations {
			collect(operation.SelectionSet, asked)
		}
	}
	for _, connection := range []string{
		"nodes", "edges", "node", "pageInfo", "userErrors", "webhook", "en", "__typename",
	} {
		delete(asked, connection)
	}
	if len(asked) < 30 {
		t.Errorf("got %d fields asked for, want at least 30", len(asked))
	}
	for name := range asked {
		if len(used[name]) == 0 {
			t.Errorf("got the field %s in a document, want it among the names that are used", name)
		}
	}
}

// collect adds the names of all selected fields to a set.
func collect(selections ast.SelectionSet, into map[string]bool) {
	for _, selection := range selections {
		if f, ok := selection.(*ast.Field); ok {
			into[f.Name] = true
			collect(f.SelectionSet, into)
		}
	}
}
