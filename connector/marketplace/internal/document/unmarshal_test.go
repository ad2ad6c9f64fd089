package document

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector/marketplace/internal/wire"
)

// A hook is what these tests read.
type hook struct {
	ID, CallbackURL wire.Text
	Events          []wire.Text
	Active          bool
}

// An answer of another shape is an error, whatever the library makes of it.
func TestUnmarshalAnswersOfAnotherShape(t *testing.T) {
	for _, body := range []string{
		`{"webhooks":7}`,
		`{"webhooks":[]}`,
		`{"webhooks":[{}]}`,
		`{"webhooks":{"nodes":[[]]}}`,
		`{"webhooks":{"nodes":[{"id":[]}]}}`,
		`{"webhooks":{"nodes":[{"id":["a"]}]}}`,
		`{"webhooks":{"nodes":[{"id":{"a":1}}]}}`,
		`{"webhooks":{"nodes":[{"events":"A"}]}}`,
		`{"webhooks":{"nodes":[{"active":"yes"}]}}`,
		`{"webhooks":{"nodes":[{"more":1}]}}`,
		`{"webhooks":{"pageInfo":[]}}`,
		`{"webhooks":{"nodes":[]}`,
		`[]`,
		``,
	} {
		var data struct{ Webhooks *wire.Page[hook] }
		if err := Unmarshal([]byte(body), &data); err == nil {
			t.Errorf("%s: got no error, want one", body)
		}
	}
}

// The library reads an empty object as no entry and as no text.
func TestUnmarshalEmptyObjects(t *testing.T) {
	for body, want := range map[string][]hook{
		`{"webhooks":{"nodes":{}}}`:          {},
		`{"webhooks":{"nodes":[{"id":{}}]}}`: {{}},
	} {
		var data struct{ Webhooks *wire.Page[hook] }
		if err := Unmarshal([]byte(body), &data); err != nil {
			t.Errorf("%s: got %v, want no error", body, err)
		}
		if diff := cmp.Diff(want, data.Webhooks.Items()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", body, diff)
		}
	}
}

// Entries that are null, and what is null in an entry, cost nothing else.
func TestUnmarshalNulls(t *testing.T) {
	var data struct{ Webhooks *wire.Page[hook] }
	body := `{"webhooks":{"nodes":[null,{"id":7,"callbackUrl":null,"events":null,"active":null}],"edges":null,` +
		`"pageInfo":{"hasNextPage":true,"endCursor":null}}}`
	if err := Unmarshal([]byte(body), &data); err != nil {
		t.Fatalf("got %v, want no error", err)
	}
	all, nulls := data.Webhooks.Split()
	if diff := cmp.Diff([]hook{{ID: "7"}}, all); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	if nulls != 1 {
		t.Errorf("got %d nulls, want 1", nulls)
	}
	if !data.Webhooks.PageInfo.HasNextPage {
		t.Error("got no next page, want one")
	}
}
