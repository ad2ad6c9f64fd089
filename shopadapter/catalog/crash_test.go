package catalog

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
)

// died is what a step panics with when the process is to end there: no deferred function of the
// package mends anything then.
type died struct{}

// crash runs do with a process that ends before its k-th change of the disk, and reports whether it
// got that far.
func crash(c *catalog, k int, do func() error) (crashed bool) {
	defer func() {
		setStep(c, nil)
		if r := recover(); r != nil {
			if r != any(died{}) {
				panic(r)
			}
			crashed = true
		}
	}()
	steps := 0
	setStep(c, func(string) error {
		if steps++; steps == k {
			panic(died{})
		}
		return nil
	})
	if err := do(); err != nil {
		panic(err)
	}
	return false
}

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
	c.index.writing.Lock() // no pass is under way
	defer c.index.writing.Unlock()
	c.index.mu.Lock()
	defer c.index.mu.Unlock()
	c.index.timer, c.index.closed = nil, true
}

func TestCrashAnywhere(t *testing.T) {
	if testing.Short() {
		t.Skip("a campaign")
	}
	old, next := bench("a"), bench("a")
	next.Title, next.Variants[0].Price = "Second edition", "88.88"
	ref := shopadapter.Ref{Publication: "a"}
	publish := func(p shopadapter.Product) func(*catalog) error {
		return func(c *catalog) error {
			_, err := c.Publish(context.Background(), ref, p, shopadapter.AllFields)
			return err
		}
	}
	unpublish := func(how shopadapter.Removal) func(*catalog) error {
		return func(c *catalog) error {
			_, err := c.Unpublish(context.Background(), ref, how)
			return err
		}
	}
	rows := []struct {
		name   string
		before func(*catalog) error
		do     func(*catalog) error
	}{
		{"creation", nil, publish(next)},
		{"update", publish(old), publish(next)},
		{"take offline", publish(old), unpublish(shopadapter.TakeOffline)},
		{"bring back", func(c *catalog) error {
			return errors.Join(publish(old)(c), unpublish(shopadapter.TakeOffline)(c))
		}, publish(next)},
		{"delete", publish(old), unpublish(shopadapter.Delete)},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			want := undisturbed(t, row.before, row.do)
			for k := 1; ; k++ {
				dir := t.TempDir()
				if row.before != nil {
					first := newShop(t, dir)
					if err := errors.Join(row.before(first), first.Close()); err != nil {
						t.Fatal(err)
					}
				}
				before := lastingFiles(t, dir)
				dying := forsake(t, dir)
				crashed := crash(dying, k, func() error { return row.do(dying) })
				bury(dying)
				found := lastingFiles(t, dir)

				again := newShop(t, dir)
				if row.before == nil && len(found) == 0 {
					if _, err := again.Check(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				if err := row.do(again); err != nil {
					t.Fatalf("step %d: calling again: got %v, want nil", k, err)
				}
				// The first call may have changed all before the crash. The second then has nothing
				// to do, and does not ask for the index.
				if err := errors.Join(checked(t, again), again.Close()); err != nil {
					t.Fatalf("step %d: got %v, want nil", k, err)
				}
				after := lastingFiles(t, dir)
				for path, content := range found {
					if content != before[path] && content != after[path] {
						t.Errorf("step %d: %s: got another file, want the old one or the new one", k, path)
					}
				}
				if found[pagePath(fileName("a"))] != "" && found[recordPath(fileName("a"))] == "" {
					t.Errorf("step %d: got a page on sale without its record, want both or neither", k)
				}
				for path := range files(t, again) {
					if strings.Contains(path, tempPrefix) {
						t.Errorf("step %d: got %s left behind, want it removed", k, path)
					}
				}
				if diff := cmp.Diff(want, after); diff != "" {
					t.Fatalf("step %d: the folder (-want without a crash +got):\n%s", k, diff)
				}
				if !crashed {
					if k < 5 {
						t.Fatalf("got %d steps, want more", k-1)
					}
					return
				}
			}
		})
	}
}

// lastingFiles are the folder's files, but for temporary ones and the index, and with the times of creation taken
// out.
func lastingFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := files(t, &catalog{folder: &folder{dir: dir}})
	for path, content := range found {
		if strings.HasPrefix(path, ".") || strings.Contains(path, "/.") || path == indexPath {
			delete(found, path)
			continue
		}
		if before, rest, ok := strings.Cut(content, `"created": "`); ok {
			_, rest, _ = strings.Cut(rest, `"`)
			found[path] = before + rest
		}
	}
	return found
}

func undisturbed(t *testing.T, before, do func(*catalog) error) map[string]string {
	t.Helper()
	c := newShop(t, t.TempDir())
	if before != nil {
		if err := before(c); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(do(c), c.Close()); err != nil {
		t.Fatal(err)
	}
	return lastingFiles(t, c.folder.dir)
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
		{"disk full", failing(syscall.ENOSPC), shopadapter.Transient, true, "free some space"},
		{"quota used up", failing(syscall.EDQUOT), shopadapter.Transient, true, "free some space"},
		{"read-only", failing(syscall.EROFS), shopadapter.Blocked, true, "let the user that pubsync runs as write"},
		{"no right to the folder", failing(syscall.EACCES), shopadapter.Blocked, true, "let the user"},
		{"no right to one file", func(doing string) error {
			if strings.HasPrefix(doing, "rename") || strings.HasPrefix(doing, "remove") {
				return &fs.PathError{Op: doing, Path: "x", Err: syscall.EPERM}
			}
			return nil
		}, shopadapter.Blocked, false, "a file of this product"},
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
					!strings.Contains(e.Message, row.says) {
					t.Errorf("%s: got %+v, want one of kind %s that says %q", name, e, row.kind, row.says)
				} else if strings.Contains(e.Message, tempSuffix) {
					t.Errorf("%s: the message: got %s, want the same with each attempt", name, e.Message)
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
