package catalog

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
)

func TestOpeningMakesNothing(t *testing.T) {
	dir := t.TempDir()
	a, err := shopadapter.Open("catalog", shopadapter.Options{Settings: map[string]string{"DIR": dir + "/new"}})
	if err != nil {
		t.Fatal(err)
	}
	if found := files(t, dir); len(found) != 0 {
		t.Errorf("files made by opening: got %v, want none", found)
	}
	if _, err := a.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	if a, err := open(shopadapter.Options{Settings: map[string]string{"DIR": dir, "URL": "file:///x"}}); err == nil ||
		a != nil {
		t.Errorf("a file address: got %v, %v, want an error", a, err)
	}
}

func TestFolderTakenAway(t *testing.T) {
	c, _ := openShop(t, t.TempDir()+"/shop")
	put(t, c, bench("a"))
	for os.RemoveAll(c.dir) != nil { // a pass of the index writes there meanwhile
		time.Sleep(time.Millisecond)
	}
	put(t, c, bench("b"))
	closeShop(t, c)
	mustContain(t, "index", files(t, c.dir)[indexPath], fileName("b"))
}

func TestDiskErrors(t *testing.T) {
	for _, row := range []struct {
		name     string
		err      error
		kind     shopadapter.Kind
		shopWide bool
		says     string
	}{
		{"disk full", syscall.ENOSPC, shopadapter.Transient, true, "no space"},
		{"quota used up", syscall.EDQUOT, shopadapter.Transient, true, "quota"},
		{"read-only", syscall.EROFS, shopadapter.Blocked, true, "let the user that pubsync runs as write"},
		{"no right to the folder", syscall.EACCES, shopadapter.Blocked, true, "let the user"},
		{"a disk that fails", syscall.EIO, shopadapter.Transient, false, "input/output"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, f := openShop(t, t.TempDir())
			put(t, c, bench("old"))
			closeShop(t, c)
			before := files(t, c.dir)
			mend := f.set(func(doing string) error { return &fs.PathError{Op: doing, Path: "x", Err: row.err} })
			failed := calls(t, c)
			_, failed["removal"] = c.Unpublish(t.Context(), shopadapter.Ref{Publication: "old"}, shopadapter.Delete)
			for name, err := range failed {
				if e := shopadapter.Explain(err); e == nil || e.Kind != row.kind || e.ShopWide != row.shopWide ||
					!strings.Contains(e.Error(), row.says) {
					t.Errorf("%s: got %+v, want one of kind %s that says %q", name, e, row.kind, row.says)
				}
			}
			if diff := cmp.Diff(before, files(t, c.dir)); diff != "" {
				t.Errorf("the folder (-want +got):\n%s", diff)
			}
			mend()
			for name, err := range calls(t, c) {
				if err != nil {
					t.Errorf("%s once the disk is well: got %v, want nil", name, err)
				}
			}
		})
	}
}

func TestShopWideErrors(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	site, _ := openShop(t, dir+"/site")
	writeFile(t, site, indexPath, "<h1>My club</h1>")
	for path, says := range map[string]string{"/file": "cannot be written", "/site": "index.html"} {
		c, _ := openShop(t, dir+path)
		for name, err := range calls(t, c) {
			if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Blocked || !e.ShopWide ||
				!strings.Contains(e.Message, says) {
				t.Errorf("%s, %s: got %v, want a blocked and shop-wide error with %q", path, name, err, says)
			}
		}
	}
}

func TestForeignFilesAreNeverTouched(t *testing.T) {
	other, _ := openShop(t, t.TempDir())
	put(t, other, bench("another"))
	record, page := recordPath(fileName("a")), pagePath(fileName("a"))
	for name, put := range map[string]map[string]string{
		"another tool's JSON":           {record: `{"id":"a","title":"mine"}`},
		"JSON that is no object":        {record: `[1,2]`},
		"null":                          {record: `null`},
		"a stamp that is none":          {record: `{"pubsync":"yes"}`},
		"a stamp of another":            {record: files(t, other.dir)[recordPath(fileName("another"))]},
		"no JSON":                       {record: `{"id":`},
		"an empty file":                 {record: ``},
		"a record that an editor broke": {record: `{"pubsync":{"publication":"a"},"title":7}`},
		"a page":                        {page: `<!doctype html><title>mine</title>`},
		"a page and JSON":               {page: `mine`, record: `{}`},
		"a front page":                  {indexPath: `<!doctype html><title>my web site</title>`},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := openShop(t, t.TempDir())
			for path, content := range put {
				writeFile(t, c, path, content)
			}
			ref := shopadapter.Ref{Publication: "a"}
			_, err := c.Publish(t.Context(), ref, bench("a"), shopadapter.AllFields)
			if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Blocked {
				t.Errorf("publish: got %v, want a blocked error", err)
			}
			for _, how := range []shopadapter.Removal{shopadapter.TakeOffline, shopadapter.Delete} {
				if _, err := c.Unpublish(t.Context(), ref, how); err != nil {
					t.Errorf("unpublish (%s): got %v, want nil", how, err)
				}
			}
			if diff := cmp.Diff(put, files(t, c.dir)); diff != "" {
				t.Errorf("the folder (-want +got):\n%s", diff)
			}
			for listed, err := range c.List(t.Context(), shopadapter.Query{}) {
				t.Errorf("listed: got %+v, %v, want none", listed, err)
			}
		})
	}
}

func TestHostileIDs(t *testing.T) {
	safe, seen := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`), map[string]string{}
	for _, id := range []string{
		"", ".", "..", "../..", "../../etc/passwd", "/etc/passwd", "a/b", "a\\b", "C:\\x", "con", "NUL", "aux.txt", "a",
		"A", "ä", "a\u0308", "ａ", "a\x00b", "a\x00", "a\nb", "a b", "a%2Fb", "a?b#c", "<script>alert(1)</script>", `"'`,
		"$(rm -rf ~)", "-rf", ".htaccess", "index", strings.Repeat("x", 10_000), strings.Repeat("x", 10_001), "日本語",
		"🪑", "a-b", "a--b", "a_b", "page-1", ".pubsync-x.tmp",
	} {
		name := fileName(shopadapter.PublicationID(id))
		if !safe.MatchString(name) || len(name) > 70 {
			t.Errorf("file name of %.40q: got %q, want one that every file system takes", id, name)
		}
		if other, taken := seen[name]; taken {
			t.Errorf("the names of %.40q and %.40q: got %q twice, want two", id, other, name)
		}
		seen[name] = id
	}
	// Names are for ever: a folder that was written before must be found again.
	for id, want := range map[shopadapter.PublicationID]string{
		"42": "42-ondvznakk2hi3kfaixhnceatpyk", "gid://shop/P/1": "gid-shop-p-1-kqdwmk3lnyqrebhsuo4ya5gxbji",
	} {
		if got := fileName(id); got != want {
			t.Errorf("file name of %s: got %q, want %q", id, got, want)
		}
	}
}
