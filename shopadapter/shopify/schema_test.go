package shopify_test

import (
	"bytes"
	"compress/gzip"
	"flag"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"github.com/pubsync/pubsync/shopadapter/shopify"
)

var update = flag.Bool("update", false, "write testdata/admin.graphql anew from the schema in PUBSYNC_TEST_SHOPIFY_SCHEMA")

// schemaVariable names the file with Shopify's answer to an introspection query, plain or gzipped.
const schemaVariable = "PUBSYNC_TEST_SHOPIFY_SCHEMA"

const prunedFile = "testdata/admin.graphql"

// TestPrunedSchema holds the schema that the other tests use to Shopify's own, and with it every document.
func TestPrunedSchema(t *testing.T) {
	path := os.Getenv(schemaVariable)
	if path == "" {
		t.Skipf("%s is not set: Shopify's whole schema is 11 MB and not kept here", schemaVariable)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(path, ".gz") {
		unpacked, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if data, err = io.ReadAll(unpacked); err != nil {
			t.Fatal(err)
		}
	}
	doc, err := schemaDocument(data)
	if err != nil {
		t.Fatal(err)
	}
	full, err := gqlparser.LoadSchema(&ast.Source{Name: "full", Input: printed(doc)})
	if err != nil {
		t.Fatal(err)
	}
	pruned, err := prune(full, shopify.Documents())
	if err != nil {
		t.Fatal(err)
	}
	text := "# The part of Shopify's Admin API 2026-07 that this adapter uses. Made by TestPrunedSchema with -update.\n\n" + printed(pruned)
	if *update {
		if err := os.WriteFile(prunedFile, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(prunedFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(text, string(kept)); diff != "" {
		t.Errorf("%s is not what Shopify's schema says (-want +got):\n%s", prunedFile, diff)
	}
}

func printed(doc *ast.SchemaDocument) string {
	var b bytes.Buffer
	formatter.NewFormatter(&b, formatter.WithIndent("  ")).FormatSchemaDocument(doc)
	return b.String()
}

func loadSchema(t testing.TB) *ast.Schema {
	t.Helper()
	sdl, err := os.ReadFile(prunedFile)
	if err != nil {
		t.Fatal(err)
	}
	schema, err := gqlparser.LoadSchema(&ast.Source{Name: prunedFile, Input: string(sdl)})
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func TestEveryDocumentIsValid(t *testing.T) {
	schema := loadSchema(t)
	for name, document := range shopify.Documents() {
		if _, faults := gqlparser.LoadQueryWithRules(schema, document, rules.NewDefaultRules()); len(faults) > 0 {
			t.Errorf("%s: %v", name, faults)
		}
	}
}

// TestTheSchemaRefuses shows that the fake's check of variables is one.
func TestTheSchemaRefuses(t *testing.T) {
	schema := loadSchema(t)
	doc, faults := gqlparser.LoadQueryWithRules(schema, shopify.Documents()["create"], rules.NewDefaultRules())
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	good := func() map[string]any {
		return map[string]any{
			"identifier": map[string]any{"id": "1"}, "synchronous": true, "page": 1,
			"set": map[string]any{"title": "Lamp", "variants": []any{map[string]any{"optionValues": []any{}}}},
		}
	}
	if _, err := validator.VariableValues(schema, doc.Operations[0], good()); err != nil {
		t.Fatalf("good variables: %v", err)
	}
	for name, spoil := range map[string]func(map[string]any){
		"an unknown field": func(v map[string]any) { v["set"].(map[string]any)["name"] = "Lamp" },
		"a missing field":  func(v map[string]any) { v["set"].(map[string]any)["variants"] = []any{map[string]any{"sku": "A"}} },
		"an unknown status": func(v map[string]any) {
			v["set"].(map[string]any)["status"] = "HALF"
		},
		"a text for a number": func(v map[string]any) { v["page"] = "many" },
	} {
		variables := good()
		spoil(variables)
		if _, err := validator.VariableValues(schema, doc.Operations[0], variables); err == nil {
			t.Errorf("%s passes", name)
		}
	}
}
