package marketplace

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The typed documents, as they reach the wire.
func TestTypedDocuments(t *testing.T) {
	specified := assumed([]string{"en"})
	edges := specified
	edges.edges = map[string]bool{"webhook": true, "channel": true}
	poor := specified
	poor.without = map[string]bool{
		"account.type": true, "channels.name": true, "categories.depth": true, "categories.translation": true,
	}
	all := []Part{PartAccount, PartChannels, PartCategories}
	for name, row := range map[string]struct {
		document document
		want     string
	}{
		"the first webhooks": {
			webhooksDocument(specified, 20, ""),
			`query Webhooks{webhooks(first:20){pageInfo{hasNextPage endCursor} nodes{id callbackUrl events active}}}`,
		},
		"more webhooks, by edges": {
			webhooksDocument(edges, 100, "c"),
			`query Webhooks($after:String!){webhooks(first:100,after:$after){pageInfo{hasNextPage endCursor}` +
				` edges{node{id callbackUrl events active}}}}`,
		},
		"the directory": {
			directoryDocument(specified, all),
			`query Directory{account{name type slug}` +
				` channels(first:2){pageInfo{hasNextPage endCursor} nodes{id name url}}` +
				` categories{path name depth parent{path} translation{name}}}`,
		},
		"the directory by edges": {
			directoryDocument(edges, all[1:2]),
			`query Directory{channels(first:2){pageInfo{hasNextPage endCursor} edges{node{id name url}}}}`,
		},
		"the directory of a poor schema": {
			directoryDocument(poor, all),
			`query Directory{account{name slug}` +
				` channels(first:2){pageInfo{hasNextPage endCursor} nodes{id url}}` +
				` categories{path name parent{path}}}`,
		},
	} {
		if diff := cmp.Diff(row.want, row.document.text()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
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
		var data struct{ Webhooks *wirePage[wireWebhook] }
		if err := unmarshal([]byte(body), &data); err == nil {
			t.Errorf("%s: got no error, want one", body)
		}
	}
}

// The library reads an empty object as no entry and as no text.
func TestUnmarshalEmptyObjects(t *testing.T) {
	for body, want := range map[string][]wireWebhook{
		`{"webhooks":{"nodes":{}}}`:          {},
		`{"webhooks":{"nodes":[{"id":{}}]}}`: {{}},
	} {
		var data struct{ Webhooks *wirePage[wireWebhook] }
		if err := unmarshal([]byte(body), &data); err != nil {
			t.Errorf("%s: got %v, want no error", body, err)
		}
		if diff := cmp.Diff(want, data.Webhooks.items()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", body, diff)
		}
	}
}

// Entries that are null, and what is null in an entry, cost nothing else.
func TestUnmarshalNulls(t *testing.T) {
	var data struct{ Webhooks *wirePage[wireWebhook] }
	body := `{"webhooks":{"nodes":[null,{"id":7,"callbackUrl":null,"events":null,"active":null}],"edges":null,` +
		`"pageInfo":{"hasNextPage":true,"endCursor":null}}}`
	if err := unmarshal([]byte(body), &data); err != nil {
		t.Fatalf("got %v, want no error", err)
	}
	all, nulls := data.Webhooks.split()
	if diff := cmp.Diff([]wireWebhook{{ID: "7"}}, all); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	if nulls != 1 {
		t.Errorf("got %d nulls, want 1", nulls)
	}
	if !data.Webhooks.PageInfo.HasNextPage {
		t.Error("got no next page, want one")
	}
}

// Whatever an answer holds, the library ends, in values or in an error.
func FuzzUnmarshal(f *testing.F) {
	for _, body := range []string{
		`{"webhooks":{"nodes":[null,{"id":7,"events":["A"]}],"pageInfo":{"hasNextPage":true}}}`,
		`{"webhooks":{"edges":[{"node":{"id":[]}}]}}`,
		`{"categories":[{"parent":{"path":"a"},"translation":null}],"account":[]}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(_ *testing.T, body []byte) {
		var data struct {
			Account    *wireHolder
			Webhooks   *wirePage[wireWebhook]
			Categories []*wireNode
		}
		if unmarshal(body, &data) == nil && data.Webhooks != nil {
			_ = data.Webhooks.items()
		}
	})
}
