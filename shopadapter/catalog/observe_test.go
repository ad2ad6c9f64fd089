package catalog

import (
	"errors"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// observedIDs is the publications of an observation, in the order of their ids.
func observedIDs(t *testing.T, c *catalog, what shopadapter.Observation) []string {
	t.Helper()
	ids := []string{}
	for o, err := range c.Observe(t.Context(), what) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, string(o.Ref.Publication))
	}
	slices.Sort(ids)
	return ids
}

// Since a moment are observed the records and pages that were written later, and products whose
// page is gone: its removal leaves no date.
func TestObserveSince(t *testing.T) {
	c := newShop(t, t.TempDir())
	long := time.Now().Add(-time.Hour)
	for _, id := range []string{"old", "edited", "rendered", "hidden", "broken"} {
		put(t, c, bench(id))
		name := fileName(shopadapter.PublicationID(id))
		for _, path := range []string{recordPath(name), pagePath(name)} {
			if err := os.Chtimes(c.folder.abs(path), long, long); err != nil {
				t.Fatal(err)
			}
		}
	}
	edit(t, c, "edited", func(r map[string]any) { r["title"] = "Mine" })
	page := pagePath(fileName("rendered"))
	writeFile(t, c, page, readFile(t, c, page))
	if err := os.Remove(c.folder.abs(pagePath(fileName("hidden")))); err != nil {
		t.Fatal(err)
	}
	writeFile(t, c, recordPath(fileName("broken")), "{")
	some := []shopadapter.Ref{{Publication: "old"}, {Publication: "old"}, {Publication: "broken"}}
	for _, tt := range []struct {
		name string
		what shopadapter.Observation
		want []string
	}{
		{"all", shopadapter.Observation{}, []string{"edited", "hidden", "old", "rendered"}},
		{"the last minute", shopadapter.Observation{Since: long.Add(time.Minute)}, []string{"edited", "hidden", "rendered"}},
		{"at that moment", shopadapter.Observation{Since: long}, []string{"edited", "hidden", "old", "rendered"}},
		{"some", shopadapter.Observation{Refs: some}, []string{"old"}},
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
	for _, err := range c.Observe(t.Context(), shopadapter.Observation{}) {
		failed = errors.Join(failed, err)
	}
	if failed == nil {
		t.Error("a folder that cannot be read: got nil, want an error")
	}
}
