package catalog

import (
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

// observedIDs is the publications of an observation, in the order of their ids.
func observedIDs(t *testing.T, c *catalog, what shopadapter.Query) []string {
	t.Helper()
	ids := []string{}
	for o, err := range c.List(t.Context(), what) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, string(o.Ref.Publication))
	}
	slices.Sort(ids)
	return ids
}

// The records that can be read are observed, or those that are asked for.
func TestObserveAllOrSome(t *testing.T) {
	c := newShop(t, t.TempDir())
	for _, id := range []string{"old", "edited", "hidden", "broken"} {
		put(t, c, bench(id))
	}
	edit(t, c, "edited", func(r map[string]any) { r["title"] = "Mine" })
	if err := os.Remove(c.folder.abs(pagePath(fileName("hidden")))); err != nil {
		t.Fatal(err)
	}
	writeFile(t, c, recordPath(fileName("broken")), "{")
	some := []shopadapter.Ref{{Publication: "old"}, {Publication: "old"}, {Publication: "broken"}}
	for _, tt := range []struct {
		name string
		what shopadapter.Query
		want []string
	}{
		{"all", shopadapter.Query{}, []string{"edited", "hidden", "old"}},
		{"some", shopadapter.Query{Refs: some}, []string{"old"}},
	} {
		if got := observedIDs(t, c, tt.what); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// A disk that fails ends an observation with its error: it never looks like an empty shop.
func TestObserveOfADiskThatFails(t *testing.T) {
	c := newShop(t, t.TempDir())
	writeFile(t, c, "products", "a file in place of the folder")
	var failed error
	for _, err := range c.List(t.Context(), shopadapter.Query{}) {
		failed = errors.Join(failed, err)
	}
	if failed == nil {
		t.Error("a folder that cannot be read: got nil, want an error")
	}
}
