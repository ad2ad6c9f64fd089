package bolt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.etcd.io/bbolt"
	"go.uber.org/goleak"

	"github.com/pubsync/pubsync/store"
	_ "github.com/pubsync/pubsync/store/postgrestest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

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

func change(t testing.TB, s opened, id string, change func(*store.Entry)) {
	t.Helper()
	_, err := s.Change(t.Context(), []string{id}, func(e *store.Entry) bool { change(e); return true })
	must(t, err)
}

// A file that is not there reads as empty, and is not made by who only reads.
func TestOpenViewOfNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "none.db")
	s, err := OpenView(path)
	must(t, err)
	if e, err := s.Get(t.Context(), "a"); e.Known || err != nil || Held(path) {
		t.Errorf("got %+v, %v", e, err)
	}
	must(t, s.Close())
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("the view made %v, %v", entries, err)
	}
}

// One process alone opens a file for writing. Readers get along, and change nothing.
func TestSecondOpenIsLocked(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	for name, open := range map[string]func(string) (opened, error){"writer": openAt, "reader": viewAt} {
		if _, err := open(s.path); !errors.Is(err, store.ErrLocked) || !strings.Contains(err.Error(), s.path) {
			t.Errorf("%s: got %v, want ErrLocked", name, err)
		}
	}
	if !Held(s.path) {
		t.Error("a store that is open for writing is not held")
	}
	must(t, s.Close())
	if err := s.Mark(t.Context(), store.Mark{ID: "a"}); !errors.Is(err, store.ErrClosed) {
		t.Errorf("a closed store: got %v, want ErrClosed", err)
	}
	before, err := os.ReadFile(s.path)
	must(t, err)
	view, err := viewAt(s.path)
	must(t, err)
	second, err := viewAt(s.path)
	must(t, err)
	must(t, second.Close())
	if _, err := openAt(s.path); !errors.Is(err, store.ErrLocked) || Held(s.path) {
		t.Errorf("a writer beside a reader: got %v, want ErrLocked", err)
	}
	if err := view.Mark(t.Context(), store.Mark{ID: "a"}); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("a reader that writes: got %v, want ErrReadOnly", err)
	}
	must(t, view.Close())
	now, err := os.ReadFile(s.path)
	must(t, err)
	if string(now) != string(before) {
		t.Error("the view changed the file")
	}
}

// A file that grows while its lock is waited for is whole.
func TestAFileThatGrowsBeforeItsLockIsHad(t *testing.T) {
	s := newStore(t)
	waiting := make(chan error)
	go func() {
		second, err := openAt(s.path)
		if err == nil {
			err = second.Close()
		}
		waiting <- err
	}()
	time.Sleep(lockWait / 5)
	must(t, s.SetMeta(t.Context(), "fact", strings.Repeat("x", 4<<20)))
	must(t, s.Close())
	if err := <-waiting; err != nil {
		t.Errorf("got %v, want it open", err)
	}
}

// A new store appears under its name when it is whole, and takes the place of no other. It is its
// owner's alone.
func TestOpenByManyAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	var all sync.WaitGroup
	var stores [8]opened
	for i := range stores {
		all.Go(func() {
			var err error
			if stores[i], err = openAt(path); err != nil && !errors.Is(err, store.ErrLocked) {
				t.Errorf("open: %v", err)
			}
		})
	}
	all.Wait()
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
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 || info.Size() > 256<<10 {
		t.Errorf("got mode %v and %d bytes, %v", info.Mode(), info.Size(), err)
	}
	must(t, os.WriteFile(path, []byte("in use"), 0o600))
	must(t, create(path))
	if data, err := os.ReadFile(path); string(data) != "in use" || err != nil {
		t.Errorf("a new store took the place of %q, %v", data, err)
	}
}

// What is written to a file that was replaced would be lost.
func TestReplacedStore(t *testing.T) {
	s := newStore(t)
	must(t, os.Rename(s.path, s.path+".old"))
	for _, name := range []string{"removed", "replaced"} {
		if err := s.Mark(t.Context(), store.Mark{ID: "a"}); !errors.Is(err, store.ErrReplaced) {
			t.Errorf("%s: got %v, want ErrReplaced", name, err)
		}
		must(t, os.WriteFile(s.path, nil, 0o600))
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
	if _, err := openAt(other); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("another program's file: %v", err)
	}

	for _, form := range []string{"2", "7", "9"} {
		s := newStore(t)
		must(t, s.Update(t.Context(), nil, func(tx *store.Tx) error {
			tx.Put(store.SchemaKey, []byte(form))
			return nil
		}))
		must(t, s.Close())
		_, err := openAt(s.path)
		if errors.Is(err, store.ErrCorrupt) || !strings.Contains(fmt.Sprint(err), "begin a new one") {
			t.Errorf("a store of form %s: got %v, want what to do", form, err)
		}
	}
}
