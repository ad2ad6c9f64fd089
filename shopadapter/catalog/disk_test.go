package catalog

import (
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
)

// forsake opens an adapter that is never closed, as a process that dies never closes anything.
func forsake(t *testing.T, dir string) *catalog {
	t.Helper()
	c, err := open(shopadapter.Options{Settings: map[string]string{"DIR": dir, "URL": address}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { bury(c) })
	return c
}

// bury stops the timer of a forsaken adapter, as the end of its process does: a pass of it would
// write while the test looks.
func bury(c *catalog) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.owed, c.closed = nil, true
}

func TestFolderTakenAway(t *testing.T) {
	c := newShop(t, t.TempDir()+"/shop")
	put(t, c, bench("a"))
	for range 2 {
		for os.RemoveAll(c.folder.dir) != nil { // a pass of the index writes there meanwhile
			time.Sleep(time.Millisecond)
		}
		put(t, c, bench("b"))
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	mustContain(t, "index", readFile(t, c, indexPath), fileName("b"))
}

func TestDiskErrors(t *testing.T) {
	failing := func(err error) func(string) error {
		return func(doing string) error { return &fs.PathError{Op: doing, Path: "x", Err: err} }
	}
	rows := []struct {
		name     string
		step     func(doing string) error
		kind     shopadapter.Kind
		shopWide bool
		says     string
	}{
		{"disk full", failing(syscall.ENOSPC), shopadapter.Transient, true, "no space"},
		{"quota used up", failing(syscall.EDQUOT), shopadapter.Transient, true, "quota"},
		{"read-only", failing(syscall.EROFS), shopadapter.Blocked, true, "let the user that pubsync runs as write"},
		{"no right to the folder", failing(syscall.EACCES), shopadapter.Blocked, true, "let the user"},
		{"no right to one file", func(doing string) error {
			if strings.HasPrefix(doing, "rename") || strings.HasPrefix(doing, "remove") {
				return &fs.PathError{Op: doing, Path: "x", Err: syscall.EPERM}
			}
			return nil
		}, shopadapter.Blocked, false, "let the user"},
		{"a disk that fails", failing(syscall.EIO), shopadapter.Transient, false, "input/output"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			c := newShop(t, t.TempDir())
			put(t, c, bench("old"))
			before := files(t, c)
			setStep(c, row.step)
			p := bench("old")
			p.Title = "New"
			_, creation := c.Publish(
				t.Context(), shopadapter.Ref{Publication: "new"}, bench("new"), shopadapter.AllFields,
			)
			_, update := c.Publish(t.Context(), shopadapter.Ref{Publication: "old"}, p, shopadapter.AllFields)
			_, removal := c.Unpublish(t.Context(), shopadapter.Ref{Publication: "old"}, shopadapter.Delete)
			setStep(c, nil)
			for name, err := range map[string]error{"creation": creation, "update": update, "removal": removal} {
				if e := shopadapter.Explain(err); e == nil || e.Kind != row.kind || e.ShopWide != row.shopWide ||
					!strings.Contains(e.Error(), row.says) {
					t.Errorf("%s: got %+v, want one of kind %s that says %q", name, e, row.kind, row.says)
				}
			}
			if diff := cmp.Diff(before, files(t, c)); diff != "" {
				t.Errorf("the folder (-want +got):\n%s", diff)
			}
			put(t, c, bench("new"))
			put(t, c, p)
		})
	}
}

func TestFolderThatIsAFile(t *testing.T) {
	dir := t.TempDir() + "/shop"
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c := newShop(t, dir)
	_, publish := c.Publish(t.Context(), shopadapter.Ref{Publication: "a"}, bench("a"), shopadapter.AllFields)
	for name, err := range map[string]error{"publish": publish, "check": checked(t, c)} {
		if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Blocked || !e.ShopWide {
			t.Errorf("%s: got %v, want an error that is blocked and shop-wide", name, err)
		}
	}
}

// checked is the error of a check.
func checked(t *testing.T, c *catalog) error {
	t.Helper()
	_, err := c.Check(t.Context())
	return err
}
