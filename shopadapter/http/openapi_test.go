package httpshop

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// TestOpenAPI holds openapi.yaml to the code: the properties of a product and of a variant, the
// field groups, and the statuses that are told apart.
func TestOpenAPI(t *testing.T) {
	data, err := os.ReadFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	spec := string(data)
	p := laws.WithDetails(laws.Sample("p1", 1), 1)
	p.Variants[0].AvailableAt = "2026-12-01"
	checks := []struct {
		schema   string
		value    any
		more     []string
		optional []string
	}{
		{"Product", p, []string{"changed"}, []string{"brand"}},
		{"Variant", p.Variants[0], nil, []string{
			"weight", "length", "width", "height", "diameter", "volume", "origin", "leadTime", "availableAt", "tags",
			"materials", "caseQuantity",
		}},
	}
	for _, c := range checks {
		encoded, err := json.Marshal(c.value)
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(encoded, &fields); err != nil {
			t.Fatal(err)
		}
		want := c.more
		for name := range fields {
			want = append(want, name)
		}
		_, section, ok := strings.Cut(spec, "\n    "+c.schema+":\n")
		required := regexp.MustCompile(`required: \[([^\]]+)\]`).FindStringSubmatch(section)
		if !ok || required == nil {
			t.Fatalf("openapi.yaml: got no schema %s, want one", c.schema)
		}
		got := slices.Concat(strings.Split(required[1], ", "), c.optional)
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("schema %s has %v, the code sends %v", c.schema, got, want)
		}
		for _, name := range want {
			if !strings.Contains(section, "\n        "+name+":") {
				t.Errorf("schema %s: got no description of %s, want one", c.schema, name)
			}
		}
	}
	groups := "enum: [" + strings.Join(shopadapter.AllFields.Names(), ", ") + "]"
	if !strings.Contains(spec, groups) {
		t.Errorf("openapi.yaml: got no list of the field groups, want %s", groups)
	}
}
