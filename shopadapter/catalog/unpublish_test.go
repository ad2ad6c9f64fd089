package catalog

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pubsync/pubsync/shopadapter"
)

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
