package catalog

import (
	"regexp"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

var safeName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func hostileIDs() []string {
	return []string{
		"", ".", "..", "../..", "../../etc/passwd", "/etc/passwd", "a/b", "a\\b", "C:\\x", "con", "NUL", "aux.txt", "a",
		"A", "ä", "a\u0308", "ａ",
		"a\x00b", "a\x00", "a\nb", "a b", "a%2Fb", "a?b#c", "<script>alert(1)</script>", `"'`, "\xff", "\xfe", "$(rm " +
			"-rf ~)", "-rf", ".htaccess",
		"index", "gid://shop/Publication/123", "gid://shop/Publication/124", strings.Repeat("x", 10_000),
		strings.Repeat("x", 10_001), "日本語", "🪑",
		"a-b", "a--b", "a_b", "page-1", ".pubsync-x.tmp",
	}
}

func TestFileName(t *testing.T) {
	seen := map[string]string{}
	for _, id := range hostileIDs() {
		name := fileName(shopadapter.PublicationID(id))
		if !safeName.MatchString(name) || len(name) > 70 {
			t.Errorf("file name of %.40q: got %q, want one that every file system takes", id, name)
		}
		if other, taken := seen[name]; taken {
			t.Errorf("the names of %.40q and %.40q: got %q twice, want two", id, other, name)
		}
		seen[name] = id
	}
	// Names are for ever: a folder that an older release wrote must be found again.
	for id, want := range map[string]string{
		"gid://shop/Publication/123": "gid-shop-publication-123-",
		"A":                          "a-",
		"..":                         "product-",
	} {
		if name := fileName(shopadapter.PublicationID(id)); !strings.HasPrefix(name, want) ||
			len(name) != len(want)+27 {
			t.Errorf("file name of %q: got %q, want %s and a digest", id, name, want)
		}
	}
	if got := fileName("42"); got != "42-ondvznakk2hi3kfaixhnceatpyk" {
		t.Errorf("file name of 42: %q", got)
	}
}

func TestHostileIDs(t *testing.T) {
	c := newShop(t, t.TempDir()+"/shop")
	for _, id := range hostileIDs() {
		p := bench(id)
		p.Title = "Of " + id
		put(t, c, p)
	}
	listed := map[shopadapter.PublicationID]bool{}
	for l, err := range c.Listings(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		listed[l.Ref.Publication] = l.OnSale
	}
	for _, id := range hostileIDs() {
		if !listed[shopadapter.PublicationID(id)] {
			t.Errorf("listings: got none of %.40q, want it", id)
		}
		ref := shopadapter.Ref{Publication: shopadapter.PublicationID(id)}
		if err := c.Unpublish(t.Context(), ref, shopadapter.Delete); err != nil {
			t.Error(err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	for path := range files(t, c) {
		if path != indexPath {
			t.Errorf("got %s left, want it gone", path)
		}
	}
}

func FuzzFileName(f *testing.F) {
	for _, id := range hostileIDs() {
		f.Add(id, id+"x")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := fileName(shopadapter.PublicationID(a)), fileName(shopadapter.PublicationID(b))
		if !safeName.MatchString(x) || len(x) > 70 {
			t.Errorf("file name of %q: got %q, want a plain one", a, x)
		}
		if (x == y) != (a == b) {
			t.Errorf("the names of %q and %q: got %q and %q, want the same only for the same id", a, b, x, y)
		}
		if !safeName.MatchString(anchor(a)) {
			t.Errorf("the anchor of %q: got %q, want a plain one", a, anchor(a))
		}
	})
}

// decode says of any file in a record's place whose it is, and never panics; what it takes for ours
// has the right stamp.
func FuzzDecode(f *testing.F) {
	name := fileName("a")
	for _, seed := range []string{
		"", "{", "null", "[]", `{"pubsync":{"format":1,"publication":"a"}}`,
		`{"pubsync":{"format":1,"publication":{"base64":"YQ=="}}}`,
		`{"pubsync":{"format":2,"publication":"a"}}`,
		`{"pubsync":{"format":1,"publication":"a"},"variants":[{"quantity":1e99}]}`, "\xef\xbb\xbf{}",
	} {
		f.Add([]byte(seed))
	}
	renderer, err := newRenderer()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := decode(name, data)
		if err != nil {
			return
		}
		if r.Stamp == nil || r.Stamp.Publication != "a" || r.Stamp.Format != recordFormat {
			t.Errorf("stamp: got %+v, want that of the publication", r.Stamp)
		}
		if _, err := renderer.product(name, r); err != nil {
			t.Errorf("page: got %v, want nil", err)
		}
		newCard(name, r)
		if next, _ := merge(r, bench("a"), shopadapter.AllFields, 0, testTime); len(next.Variants) != 3 {
			t.Errorf("merged: got %+v, want three variants", next)
		}
	})
}
