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
				if (err == nil) != row.edges || err != nil && KindOf(err) != Invalid ||
					row.edges && (len(page.Variants) != 1 || page.Variants[0].Product != "d1" || page.End != "e") {
					t.Errorf("%+v, %v", page, err)
				}
			}
			if after, err := c.Probe(t.Context()); err != nil || !after.Equal(before) {
				t.Errorf("the forms became %v, %v", after, err)
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
		if _, err := c.Variants(t.Context(), Sweep, "", 10); !errors.Is(err, ErrNoVariants) ||
			len(w.operations()) != 1 {
			t.Errorf("%v after %v", err, w.operations())
		}
	})
}
