package sandbox

import (
	"encoding/json"
	"fmt"
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
			for after, more := any(nil), true; more; {
				r := post(t, m, `query($first: Int!, $after: String, $sort: PublicationSort) {
					publications(first: $first, after: $after, sort: $sort) { nodes { id } pageInfo { hasNextPage endCursor } } }`,
					map[string]any{"first": first, "after": after, "sort": sort})
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
				after, more = page.Publications.PageInfo.EndCursor, page.Publications.PageInfo.HasNextPage
				m.Remove(got...) // a cursor is a position, whatever becomes of its entry
			}
			if !slices.Equal(got, ids) {
				t.Errorf("%s by %d: got %v, want %v", sort, first, got, ids)
			}
		}
	}
}

// A cursor is what was handed out, of this order and since they expired last; nothing else is one.
func TestCursors(t *testing.T) {
	m := newTest(t, Options{})
	good := m.cursor('u', "key.with dots and ü")
	if key, err := m.behind(good, 'u'); err != nil || key != "key.with dots and ü" {
		t.Errorf("got %q, %v, want the key", key, err)
	}
	for _, bad := range []string{"", "%%%", good + "=", good[:5] + "\n" + good[5:], good[:2], m.cursor('i', "key")} {
		if key, err := m.behind(bad, 'u'); err == nil {
			t.Errorf("%q: got %q, want an error", bad, key)
		}
	}
	m.ExpireCursors()
	if key, err := m.behind(good, 'u'); err == nil {
		t.Errorf("got %q of an expired cursor, want an error", key)
	}
}

// Whatever a document is, it is answered with a document.
func FuzzDocument(f *testing.F) {
	for _, document := range []string{
		``, `{`, `{ account { slug } }`, `query($n: Int!) { publications(first: $n) { nodes { id } } }`,
		`{ ...a } fragment a on Query { ...a }`, `mutation { webhookDelete(id: 1) { userErrors { message } } }`,
		`mutation($i: WebhookCreateInput!) { webhookCreate(input: $i) { webhook { id } } }`,
		`{ publications(first: 2, after: "x") { edges { node { listing { variants(first: 9) { nodes { id } } } } } } }`,
	} {
		f.Add(document, `{"n": 3, "i": {"events": "A"}}`)
	}
	m := New(Options{})
	f.Cleanup(m.Close)
	m.AddSound(3)
	f.Fuzz(func(t *testing.T, document, variables string) {
		var vars map[string]any
		_ = json.Unmarshal([]byte(variables), &vars) // none, then
		if r := post(t, m, document, vars); r.status >= 500 || !json.Valid([]byte(r.body)) {
			t.Error(fmt.Sprint("got ", r.status, r.body))
		}
	})
}
