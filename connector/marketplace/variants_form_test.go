package marketplace

import (
	"errors"
	"strconv"
	"strings"
	"testing"
)

// An objection to the list of product variants is about that list alone: no form of the others
// changes, and a server that has only edges is read by them.
func TestVariantsHaveFormsOfTheirOwn(t *testing.T) {
	for _, row := range []struct {
		name, objection string
		edges           bool // another form helps
	}{
		{"no nodes", `Cannot query field "nodes" on type "ProductVariantConnection".`, true},
		{"no such order", `Argument "sort" has an invalid value UPDATED_AT_ASC`, false},
		{"no such list", `Cannot query field "productVariants" on type "Query".`, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := &fakeWire{answer: func(_ int, s sent) (int, string) {
				if row.edges && strings.Contains(s.Query, "edges{node{") {
					return 200, data(
						`{"productVariants":{"edges":[{"node":{"id":"v1","updatedAt":"2026-01-01T00:00:00Z",` +
							`"product":{"id":"d1"}}}],"pageInfo":{"hasNextPage":false,"endCursor":"e"}}}`,
					)
				}
				return 200, `{"errors":[{"message":` + strconv.Quote(
					row.objection,
				) + `}],` + throttled(
					0,
					0,
					1000,
				) + `}`
			}}
			c := known(t, w)
			before, err := c.Probe(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for range 3 {
				page, err := c.Variants(t.Context(), Sweep, "", 10)
				switch {
				case (err == nil) != row.edges:
					t.Errorf("%+v, %v; (err == nil): got %v, want %v", page, err, (err == nil), row.edges)
				case err != nil && KindOf(err) != Invalid:
					t.Errorf("%+v, %v", page, err)
				case row.edges && (len(page.Variants) != 1 || page.Variants[0].Product != "d1" || page.End != "e"):
					t.Errorf("%+v, %v", page, err)
				}
			}
			switch after, err := c.Probe(t.Context()); {
			case err != nil:
				t.Errorf("the forms became %v, %v; err: got %v, want nil", after, err, err)
			case !after.Equal(before):
				t.Errorf("the forms became %v, %v; after.Equal(before): got false, want true", after, err)
			}
		})
	}
	t.Run("the schema has no such list", func(t *testing.T) {
		w := &fakeWire{answer: func(int, sent) (int, string) {
			return 200, data(
				`{"__schema":{"queryType":{"name":"Query"},"types":[{"kind":"OBJECT","name":"Query",` +
					`"fields":[{"name":"publication","args":[],"type":{"kind":"OBJECT","name":"P"}}]}]}}`,
			)
		}}
		c := connect(t, w)
		switch _, err := c.Variants(t.Context(), Sweep, "", 10); {
		case !errors.Is(err, ErrNoVariants):
			t.Errorf("%v after %v; errors.Is(err, ErrNoVariants): got false, want true", err, w.operations())
		case len(w.operations()) != 1:
			t.Errorf("%v after %v; len(w.operations()): got %v, want %v", err, w.operations(), len(w.operations()), 1)
		}
	})
}
