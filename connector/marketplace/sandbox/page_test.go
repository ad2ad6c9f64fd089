package sandbox

import (
	"encoding/json"
	"slices"
	"testing"
)

// A list is read whole in pages of any size, in either order, also where entries come and go
// meanwhile.
func TestPages(t *testing.T) {
	for _, sort := range []string{"ID_DESC", "UPDATED_AT_ASC"} {
		for first := 1; first <= 6; first++ {
			m := newTest(t, Options{Limit: 1e6})
			ids := m.AddSound(5)
			m.Remove(m.AddSound(1)...)
			if sort == "ID_DESC" {
				slices.Reverse(ids)
			}
			var got []string
			vars := map[string]any{"first": first, "sort": sort}
			for more := true; more; {
				r := post(t, m, `query($first: Int!, $after: String, $sort: PublicationSort) {
					publications(first: $first, after: $after, sort: $sort) { nodes { id } pageInfo { hasNextPage endCursor } } }`,
					vars)
				var page struct {
					Publications struct {
						Nodes    []struct{ ID string }
						PageInfo struct {
							HasNextPage bool
							EndCursor   string
						}
					}
				}
				if err := json.Unmarshal(r.Data, &page); err != nil {
					t.Fatalf("got %s, %v", r.body, err)
				}
				for _, n := range page.Publications.Nodes {
					got = append(got, n.ID)
				}
				vars["after"], more = page.Publications.PageInfo.EndCursor, page.Publications.PageInfo.HasNextPage
				m.Remove(got...) // a cursor is a position, whatever becomes of its entry
			}
			if !slices.Equal(got, ids) {
				t.Errorf("%s by %d: got %v, want %v", sort, first, got, ids)
			}
		}
	}
}
