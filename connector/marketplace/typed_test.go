package marketplace

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector/marketplace/internal/document"
	"github.com/pubsync/pubsync/connector/marketplace/internal/form"
)

// The typed documents, as they reach the wire.
func TestTypedDocuments(t *testing.T) {
	specified := form.Assumed([]string{"en"}, form.Said{})
	edges := specified
	edges.Edges = map[string]bool{"webhook": true, "channel": true}
	poor := specified
	poor.Without = map[string]bool{
		"account.type": true, "channels.name": true, "categories.depth": true, "categories.translation": true,
	}
	all := []Part{PartAccount, PartChannels, PartCategories}
	for name, row := range map[string]struct {
		document document.Document
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
		if diff := cmp.Diff(row.want, row.document.Text()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
