package bolt

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"go.etcd.io/bbolt"
	"go.uber.org/goleak"

	"github.com/pubsync/pubsync/store"
	_ "github.com/pubsync/pubsync/store/kvtest"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() == "" {
		debug.SetGCPercent(400) // the tests allocate much and hold little; benchmarks measure the collector as it is
	}
	goleak.VerifyTestMain(m)
}

var start = time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC)

func after(d time.Duration) store.Instant { return store.At(start.Add(d)) }

// An opened store has the KV below it.
type opened struct {
	store.Store
	*kv
}

func openAt(path string) (opened, error) { return openedBy(Open(path)) }

func viewAt(path string) (opened, error) { return openedBy(OpenView(path)) }

func openedBy(s store.Store, err error) (opened, error) {
	below, _ := s.KV.(*kv)
	return opened{s, below}, err
}

func newStore(t testing.TB) opened {
	t.Helper()
	return reopen(t, filepath.Join(t.TempDir(), "store.db"))
}

func reopen(t testing.TB, path string) opened {
	t.Helper()
	s, err := openAt(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil && !errors.Is(err, fs.ErrClosed) {
			t.Error(err)
		}
	})
	return s
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// put writes a record in the place of what a store holds of it.
func put(t testing.TB, s opened, r store.Record) {
	t.Helper()
	change(t, s, r.ID, func(e *store.Entry) { e.Record = r })
}

func change(t testing.TB, s opened, id string, change func(*store.Entry)) {
	t.Helper()
	_, err := s.Change(t.Context(), []string{id}, func(e *store.Entry) bool { change(e); return true })
	must(t, err)
}

// recordOf is the record of a publication.
func recordOf(ctx context.Context, s opened, id string) (store.Record, bool, error) {
	e, err := s.Get(ctx, id)
	return e.Record, e.Known, err
}

// countsOf is the counts by state, nil where they cannot be read.
func countsOf(ctx context.Context, s opened) map[store.State]int {
	counts, err := s.Counts(ctx)
	if err != nil {
		return nil
	}
	return counts
}

func dueLen(ctx context.Context, s opened, now time.Time) (int, error) {
	f, err := s.Backlog(ctx, store.At(now))
	return f.Due, err
}

func TestOpenViewOfNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "none.db")
	s, err := viewAt(path)
	must(t, err)
	if _, ok, err := recordOf(t.Context(), s, "a"); ok || err != nil {
		t.Errorf("get: %t, %v", ok, err)
	}
	for r, err := range store.Records(t.Context(), s.Store, store.Query{}) {
		t.Errorf("a record: %v, %v", r, err)
	}
	if n := len(countsOf(t.Context(), s)); n != 0 || s.Size() != 0 {
		t.Errorf("%d states, %d bytes", n, s.Size())
	}
	if err := s.Mark(t.Context(), store.Mark{ID: "a"}); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("mark: %v", err)
	}
	must(t, s.Close())
	must(t, s.Close())
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("the view made %v, %v", entries, err)
	}
}

func TestSecondOpenIsLocked(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	for name, open := range map[string]func(string) (opened, error){"writer": openAt, "reader": viewAt} {
		begin := time.Now()
		_, err := open(s.path)
		if took := time.Since(begin); !errors.Is(err, store.ErrLocked) || !strings.Contains(err.Error(), s.path) ||
			took < lockWait/2 ||
			took > 20*lockWait {
			t.Errorf("%s: %v after %s", name, err, took)
		}
	}
	v := s.path
	must(t, s.Close())
	view, err := viewAt(v)
	must(t, err)
	if _, err := openAt(v); !errors.Is(err, store.ErrLocked) {
		t.Errorf("a writer beside a reader: %v", err)
	}
	must(t, view.Close())
	must(t, reopen(t, v).Close())
}

func TestOpenByManyAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	const n = 8
	var wg sync.WaitGroup
	var stores [n]opened
	for i := range n {
		wg.Go(func() {
			var err error
			if stores[i], err = openAt(path); err != nil && !errors.Is(err, store.ErrLocked) {
				t.Errorf("open: %v", err)
			}
		})
	}
	wg.Wait()
	opened := 0
	for _, s := range stores {
		if s.kv != nil {
			opened++
			must(t, s.Close())
		}
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); opened != 1 || err != nil || len(entries) != 1 {
		t.Errorf("%d opened it, and beside it lies %v, %v", opened, entries, err)
	}
}

// One that makes a store while another already has takes what is there.
func TestNewStoreReplacesNone(t *testing.T) {
	dir := t.TempDir()
	there, another := filepath.Join(dir, "store.db"), filepath.Join(dir, ".store.db.new")
	must(t, os.WriteFile(there, []byte("in use"), 0o600))
	must(t, os.WriteFile(another, []byte("empty"), 0o600))
	must(t, place(another, there))
	if data, err := os.ReadFile(there); string(data) != "in use" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
}

func TestOpenMakesStoresWhereALinkPoints(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "data"), 0o700))
	link := filepath.Join(dir, "link.db")
	must(t, os.Symlink(filepath.Join("data", "store.db"), link))
	s := reopen(t, link)
	put(t, s, store.Record{ID: "a", State: "live"})
	if want := filepath.Join(dir, "data", "store.db"); s.Path() != store.CanonicalPath(want) {
		t.Errorf("path %s, want %s", s.Path(), want)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", info, err)
	}
}

func TestCanonicalPath(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	must(t, os.Mkdir(filepath.Join(dir, "real"), 0o700))
	must(t, os.Symlink("real", filepath.Join(dir, "alias")))
	must(t, os.WriteFile(filepath.Join(dir, "real", "s.db"), nil, 0o600))
	must(t, os.Symlink(filepath.Join(dir, "real", "s.db"), filepath.Join(dir, "file")))
	t.Chdir(dir)
	for _, tt := range []struct{ name, path, want string }{
		{"relative", "real/s.db", "real/s.db"},
		{"through a folder", "alias/s.db", "real/s.db"},
		{"a link to the file", "file", "real/s.db"},
		{"not there yet", "alias/new.db", "real/new.db"},
		{"with detours", "real/../alias/./s.db", "real/s.db"},
		{"no such folder", "none/s.db", "none/s.db"},
	} {
		if got := store.CanonicalPath(tt.path); got != filepath.Join(dir, tt.want) {
			t.Errorf("%s: %s", tt.name, got)
		}
	}
}

func TestOpenFails(t *testing.T) {
	dir := t.TempDir()
	if _, err := openAt(filepath.Join(dir, "none", "store.db")); !errors.Is(err, fs.ErrNotExist) ||
		errors.Is(err, store.ErrCorrupt) {
		t.Errorf("no such folder: %v", err)
	}
	if _, err := openAt(dir); err == nil || errors.Is(err, store.ErrLocked) {
		t.Errorf("a folder: %v", err)
	}

	other := filepath.Join(dir, "other.db") // another program's
	db, err := bbolt.Open(other, 0o600, nil)
	must(t, err)
	must(t, db.Update(func(tx *bbolt.Tx) error { _, err := tx.CreateBucket([]byte("mail")); return err }))
	must(t, db.Close())
	before, err := os.ReadFile(other)
	must(t, err)
	if _, err := openAt(other); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("another program's file: %v", err)
	}
	now, err := os.ReadFile(other)
	must(t, err)
	if string(now) != string(before) {
		t.Error("another program's file was changed")
	}

	for form, advice := range map[string]string{"2": "begin a new one", "6": "begin a new one", "8": "or a newer one"} {
		s := newStore(t)
		must(t, s.Update(t.Context(), nil, func(tx *store.Tx) error {
			tx.Put(store.Key{Bucket: store.BucketMeta, Key: store.MetaSchema}, []byte(form))
			return nil
		}))
		must(t, s.Close())
		for name, open := range map[string]func(string) (opened, error){"writer": openAt, "reader": viewAt} {
			if _, err := open(s.path); errors.Is(err, store.ErrCorrupt) || !strings.Contains(fmt.Sprint(err), advice) {
				t.Errorf("a store of form %s, %s: got %v, want %q", form, name, err, advice)
			}
		}
	}
}

func TestClosedStore(t *testing.T) {
	s := newStore(t)
	must(t, s.Close())
	must(t, s.Close())
	if err := s.Mark(t.Context(), store.Mark{ID: "a"}); !errors.Is(err, store.ErrClosed) {
		t.Errorf("mark: %v", err)
	}
	if _, _, err := recordOf(t.Context(), s, "a"); !errors.Is(err, store.ErrClosed) {
		t.Errorf("get: %v", err)
	}
	for _, err := range store.Records(t.Context(), s.Store, store.Query{}) {
		if !errors.Is(err, store.ErrClosed) {
			t.Errorf("records: %v", err)
		}
	}
}

func TestOpenViewRefusesToWrite(t *testing.T) {
	s := newStore(t)
	put(t, s, store.Record{ID: "a", State: "live"})
	must(t, s.Close())
	before, err := os.ReadFile(s.path)
	must(t, err)
	v, err := viewAt(s.path)
	must(t, err)
	defer v.Close()
	second, err := viewAt(s.path)
	if err != nil {
		t.Errorf("readers do not get along: %v", err)
	} else {
		must(t, second.Close())
	}
	if countsOf(t.Context(), v)["live"] != 1 {
		t.Errorf("counts %v", countsOf(t.Context(), v))
	}
	if err := v.Update(t.Context(), nil, func(*store.Tx) error { return nil }); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("an update: %v", err)
	}
	now, err := os.ReadFile(s.path)
	must(t, err)
	if string(now) != string(before) {
		t.Error("the view changed the file")
	}
}
