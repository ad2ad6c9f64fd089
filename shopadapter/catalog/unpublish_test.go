package catalog

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pubsync/pubsync/shopadapter"
)

func TestUnpublish(t *testing.T) {
	rows := []struct {
		name         string
		steps        []shopadapter.Removal
		record, page bool
	}{
		{"take offline", []shopadapter.Removal{shopadapter.TakeOffline}, true, false},
		{"take offline twice", []shopadapter.Removal{shopadapter.TakeOffline, shopadapter.TakeOffline}, true, false},
		{"delete", []shopadapter.Removal{shopadapter.Delete}, false, false},
		{"delete what is offline", []shopadapter.Removal{shopadapter.TakeOffline, shopadapter.Delete}, false, false},
		{"delete twice", []shopadapter.Removal{shopadapter.Delete, shopadapter.Delete}, false, false},
		{
			"take offline what is deleted",
			[]shopadapter.Removal{shopadapter.Delete, shopadapter.TakeOffline},
			false,
			false,
		},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			c := newShop(t, t.TempDir())
			put(t, c, bench("a"))
			put(t, c, bench("other"))
			for _, how := range row.steps {
				if _, err := c.Unpublish(t.Context(), shopadapter.Ref{Publication: "a"}, how); err != nil {
					t.Fatal(err)
				}
			}
			name := fileName("a")
			if got := c.folder.has(recordPath(name)); got != row.record {
				t.Errorf("the record is there: got %t, want %t", got, row.record)
			}
			if got := c.folder.has(pagePath(name)); got != row.page {
				t.Errorf("the page is there: got %t, want %t", got, row.page)
			}
			if row.record && readRecord(t, c, "a").Stamp.OnSale {
				t.Error("onSale of the record: got true, want false")
			}
			if !c.folder.has(pagePath(fileName("other"))) {
				t.Error("another product's page: got it gone, want it there")
			}
		})
	}
}

// A product gets all that it missed while it was out of sale when it is back, even where changed
// does not name it.
func TestRepublishWritesEverything(t *testing.T) {
	c := newShop(t, t.TempDir())
	put(t, c, bench("a"))
	created := readRecord(t, c, "a").Stamp.Created
	edit(t, c, "a", func(r map[string]any) { r["title"] = "Mine" })
	if _, err := c.Unpublish(t.Context(), shopadapter.Ref{Publication: "a"}, shopadapter.TakeOffline); err != nil {
		t.Fatal(err)
	}
	p := bench("a")
	p.Title, p.Variants[2].Price, p.Description = "Theirs", "3.33", "<p>News</p>"
	if listing := putRef(t, c, shopadapter.Ref{Publication: "a"}, p, shopadapter.NoFields); listing.Kept != 0 {
		t.Errorf("kept: got %s, want none, since no group is said to have changed", listing.Kept)
	}
	r := readRecord(t, c, "a")
	if r.Variants[2].Price != "3.33" || r.Description != "<p>News</p>" || r.Title != "Mine" ||
		r.Stamp.Created != created {
		t.Errorf("record: got %+v, want the price and description of now, and the merchant's title", r)
	}
}

func TestForeignFilesAreNeverTouched(t *testing.T) {
	name := fileName("a")
	stamped := newShop(t, t.TempDir())
	put(t, stamped, bench("another"))
	rows := []struct {
		name  string
		put   map[string]string
		isNil bool // Unpublish is content
	}{
		{"another tool's JSON", map[string]string{recordPath(name): `{"id":"a","title":"mine"}`}, true},
		{"JSON that is no object", map[string]string{recordPath(name): `[1,2]`}, true},
		{"null", map[string]string{recordPath(name): `null`}, true},
		{"a stamp without a format", map[string]string{recordPath(name): `{"pubsync":{"publication":"a"}}`}, true},
		{"a stamp that is none", map[string]string{recordPath(name): `{"pubsync":"yes"}`}, true},
		{
			"a stamp of another publication",
			map[string]string{recordPath(name): files(t, stamped)[recordPath(fileName("another"))]},
			true,
		},
		{
			"a newer release's record",
			map[string]string{recordPath(name): `{"pubsync":{"publication":"a","format":2}}`},
			false,
		},
		{"no JSON", map[string]string{recordPath(name): `{"id":`}, false},
		{"an empty file", map[string]string{recordPath(name): ``}, false},
		{
			"a record that an editor broke",
			map[string]string{recordPath(name): `{"pubsync":{"publication":"a","format":1},"title":7}`},
			false,
		},
		{"a page", map[string]string{pagePath(name): `<!doctype html><title>mine</title>`}, true},
		{"a page and JSON", map[string]string{pagePath(name): `mine`, recordPath(name): `{}`}, true},
		{"a front page", map[string]string{indexPath: `<!doctype html><title>my web site</title>`}, true},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			c := newShop(t, t.TempDir())
			for path, content := range row.put {
				writeFile(t, c, path, content)
			}
			_, err := c.Publish(t.Context(), shopadapter.Ref{Publication: "a"}, bench("a"), shopadapter.AllFields)
			if kindOf(err) != shopadapter.Blocked || !strings.Contains(err.Error(), ".") {
				t.Errorf("publish: got %v, want a blocked error of a sentence", err)
			}
			for _, how := range []shopadapter.Removal{shopadapter.TakeOffline, shopadapter.Delete} {
				_, err := c.Unpublish(t.Context(), shopadapter.Ref{Publication: "a"}, how)
				if (err == nil) != row.isNil || err != nil && kindOf(err) != shopadapter.Blocked {
					t.Errorf("unpublish (%s): got %v, want nil: %t, else blocked", how, err, row.isNil)
				}
			}
			if diff := cmp.Diff(row.put, files(t, c)); diff != "" {
				t.Errorf("the folder (-want +got):\n%s", diff)
			}
			for listed, err := range c.List(t.Context(), shopadapter.Query{}) {
				t.Errorf("listed: got %+v, %v, want none", listed, err)
			}
		})
	}
}

func TestFolderInTheRecordsPlace(t *testing.T) {
	c := newShop(t, t.TempDir())
	for _, path := range []string{recordPath(fileName("a")), pagePath(fileName("b"))} {
		if err := os.MkdirAll(c.folder.abs(path), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []string{"a", "b"} {
		_, err := c.Publish(
			t.Context(),
			shopadapter.Ref{Publication: shopadapter.PublicationID(id)},
			bench(id),
			shopadapter.AllFields,
		)
		if kindOf(err) != shopadapter.Blocked {
			t.Errorf("publish %s: got %v, want a blocked error", id, err)
		}
		ref := shopadapter.Ref{Publication: shopadapter.PublicationID(id)}
		if _, err := c.Unpublish(t.Context(), ref, shopadapter.Delete); err != nil {
			t.Errorf("unpublish %s: got %v, want nil", id, err)
		}
	}
}

func TestForeignFrontPageIsSaidAtOnce(t *testing.T) {
	c := newShop(t, t.TempDir())
	writeFile(t, c, indexPath, "<h1>My club</h1>")
	_, publish := c.Publish(t.Context(), shopadapter.Ref{Publication: "a"}, bench("a"), shopadapter.AllFields)
	for name, err := range map[string]error{"publish": publish, "check": checked(t, c)} {
		if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Blocked || !e.ShopWide ||
			!strings.Contains(e.Message, "index.html") {
			t.Errorf("%s: got %v, want a shop-wide error that names index.html", name, err)
		}
	}
}

func TestListings(t *testing.T) {
	c := newShop(t, t.TempDir())
	for _, err := range c.List(t.Context(), shopadapter.Query{}) {
		t.Fatalf("of no folder: got %v, want nil", err)
	}
	for _, id := range []string{"shown", "offline", "deleted", "page lost"} {
		put(t, c, bench(id))
	}
	writeFile(t, c, "products/copy of shown.json", files(t, c)[recordPath(fileName("shown"))])
	writeFile(t, c, "products/broken.json", "{")
	if err := errors.Join(
		c.unpublish(t.Context(), shopadapter.Ref{Publication: "offline"}, shopadapter.TakeOffline),
		c.unpublish(t.Context(), shopadapter.Ref{Publication: "deleted"}, shopadapter.Delete),
		os.Remove(c.folder.abs(pagePath(fileName("page lost")))),
	); err != nil {
		t.Fatal(err)
	}
	got := map[shopadapter.PublicationID]bool{}
	for listed, err := range c.List(t.Context(), shopadapter.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		name := fileName(listed.Ref.Publication)
		if string(listed.Ref.Listing) != name || listed.URL != address+"/products/"+name+".html" {
			t.Errorf("listed: got %+v, want the listing and the address of %s", listed, name)
		}
		got[listed.Ref.Publication] = listed.OnSale
	}
	want := map[shopadapter.PublicationID]bool{"shown": true, "offline": false, "page lost": false}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for range c.List(t.Context(), shopadapter.Query{}) {
		break
	}
}
