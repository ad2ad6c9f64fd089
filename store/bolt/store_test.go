package bolt

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.etcd.io/bbolt"
	"go.uber.org/goleak"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/keyed"
	_ "github.com/pubsync/pubsync/store/memorytest"
	"github.com/pubsync/pubsync/store/storetest"
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

func newStore(t testing.TB) *Store {
	t.Helper()
	return reopen(t, filepath.Join(t.TempDir(), "store.db"))
}

func reopen(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(path)
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

// settle writes a record as the end of work on it.
func settle(t testing.TB, s *Store, w store.Settlement) store.Record {
	t.Helper()
	r, err := s.Settle(t.Context(), w)
	must(t, err)
	return r
}

func get(t testing.TB, s *Store, id string) store.Record {
	t.Helper()
	r, ok, err := recordOf(t.Context(), s, id)
	must(t, err)
	if !ok {
		t.Fatalf("%q is not known", id)
	}
	return r
}

// recordOf, markOf and owedOf are the parts of what a store holds of one publication.
func recordOf(ctx context.Context, s *Store, id string) (store.Record, bool, error) {
	e, err := s.Get(ctx, id)
	return e.Record, e.Known, err
}

func markOf(ctx context.Context, s *Store, id string) (m store.Mark, ok bool, err error) {
	e, err := s.Get(ctx, id)
	if e.Mark == nil {
		return m, false, err
	}
	return *e.Mark, true, err
}

func owedOf(ctx context.Context, s *Store, id string) (*store.Report, error) {
	e, err := s.Get(ctx, id)
	return e.Owed, err
}

// countsOf is the counts by state, nil where they cannot be read.
func countsOf(ctx context.Context, s *Store) map[store.State]int {
	counts, err := s.Counts(ctx)
	if err != nil {
		return nil
	}
	return counts
}

func dueLen(ctx context.Context, s *Store, now time.Time) (int, error) {
	f, err := s.Backlog(ctx, store.At(now))
	return f.Due, err
}

func removedLen(ctx context.Context, s *Store, since time.Time) (int, error) {
	f, err := s.Backlog(ctx, store.At(since.Add(store.RemovalWindow)))
	return f.Removed, err
}

// firstDue is the most urgent mark that is due.
func firstDue(
	ctx context.Context,
	s *Store,
	now time.Time,
	classes store.ClassSet,
	skip ...string,
) (m store.Mark, ok bool, err error) {
	due, _, err := s.Due(ctx, store.DueQuery{Classes: classes, To: store.At(now), Skip: skip, Limit: 1})
	if len(due) == 0 {
		return m, false, err
	}
	return due[0], true, err
}

// nextDue is when the first mark is due, be it long ago.
func nextDue(ctx context.Context, s *Store, classes store.ClassSet, skip ...string) (at time.Time, ok bool, err error) {
	_, next, err := s.Due(ctx, store.DueQuery{Classes: classes, To: -1, Skip: skip, Limit: 1})
	return next.Time(), next != 0, err
}

const every = store.AllClasses

// fullRecord has a value in each field: one that is added later is lost by the codec until it is
// added there too.
func fullRecord(id string) store.Record {
	r := store.Record{ID: id}
	n := 0
	fillIn(reflect.ValueOf(&r).Elem(), &n)
	r.ID, r.Claims = id, nil
	return r
}

// fillIn sets every field below v to a value of its own.
func fillIn(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("text %d", *n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(*n % 200))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fillIn(v.Index(i), n)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fillIn(v.Field(i), n)
		}
	default:
		panic("no value for a " + v.Kind().String())
	}
}

func TestIDsThatCannotBeKept(t *testing.T) {
	s := newStore(t)
	for _, tt := range []struct{ name, id string }{{"empty", ""}, {"too long", strings.Repeat("x", store.MaxID+1)}} {
		t.Run(tt.name, func(t *testing.T) {
			_, begin := s.Begin(t.Context(), store.Attempt{ID: tt.id})
			_, settled := s.Settle(t.Context(), store.Settlement{Record: store.Record{ID: tt.id}})
			_, adopted := store.Adopt(t.Context(), s, tt.id, func(*store.Record, bool) bool { return true })
			for name, err := range map[string]error{
				"begin": begin, "settle": settled, "adopt": adopted, "mark": s.Mark(t.Context(), store.Mark{ID: tt.id}),
			} {
				if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("id of %d bytes", len(tt.id))) ||
					len(err.Error()) > 200 {
					t.Errorf("%s: error %v", name, err)
				}
			}
			page := store.Page{Name: "list", Seen: true, Changes: store.Each(
				[]string{tt.id, "good " + tt.name},
				func(int, bool, *store.Report, *store.Settlement) bool { return true },
			)}
			if err := s.PutPage(t.Context(), page); err != nil {
				t.Error("a page with one is refused as a whole:", err)
			}
			if _, ok, err := recordOf(t.Context(), s, "good "+tt.name); !ok || err != nil {
				t.Errorf("the rest of the page: %t, %v", ok, err)
			}
		})
	}
	longest := strings.Repeat("x", store.MaxID)
	settle(t, s, store.Settlement{
		Record: store.Record{
			ID:       longest,
			Product:  longest,
			Listing:  longest,
			Variants: []store.Variant{{ID: longest, SKU: longest}},
		}, Next: &store.Mark{},
		Report: &store.Report{Status: "success"},
	})
	if ids, err := s.Resolve(t.Context(), nil, []string{longest}, nil); err != nil || len(ids) != 1 {
		t.Errorf("the longest id: %d found, %v", len(ids), err)
	}
}

func TestAdopt(t *testing.T) {
	s := newStore(t)
	fill := func(r *store.Record, known bool) bool {
		r.State, r.ShopID, r.ID = "pending", r.ShopID+"17", "b"
		return !known
	}
	for i, want := range []bool{true, false} {
		taken, err := store.Adopt(t.Context(), s, "a", fill)
		if taken != want || err != nil || get(t, s, "a").ShopID != "17" {
			t.Errorf("time %d: %t, %v, %+v", i, taken, err, get(t, s, "a"))
		}
	}
	taken, err := store.Adopt(t.Context(), s, "a", func(r *store.Record, known bool) bool {
		r.State, r.ShopID = "live", "18"
		return known
	})
	if !taken || err != nil || get(t, s, "a").ShopID != "18" {
		t.Errorf("known and taken: %t, %v, %+v", taken, err, get(t, s, "a"))
	}
	if got := countsOf(t.Context(), s); got["pending"] != 0 || got["live"] != 1 {
		t.Errorf("counts %v", got)
	}
}

// Of what a copy holds every record is changed, more than fit into one transaction, and no report
// is owed that the copy owed.
func TestRecheck(t *testing.T) {
	s := newStore(t)
	const records = 600
	for i := range records {
		w := store.Settlement{Record: store.Record{ID: fmt.Sprintf("p%03d", i), State: "live"}}
		if i == 300 {
			w.Report = &store.Report{Status: "success"}
		}
		settle(t, s, w)
	}
	for range 2 { // again, after a crash on the way
		must(t, store.Recheck(t.Context(), s, store.At(start), func(r *store.Record) { r.Open = true }))
	}
	rechecked := 0
	for r, err := range store.Records(t.Context(), s, store.Query{}) {
		must(t, err)
		if r.Open {
			rechecked++
		}
	}
	if rechecked != records {
		t.Errorf("got %d records changed, want %d", rechecked, records)
	}
	if got := countsOf(t.Context(), s)["live"]; got != records {
		t.Errorf("got %d live, want %d", got, records)
	}
	if owed, err := owedOf(t.Context(), s, "p300"); owed != nil || err != nil {
		t.Errorf("owed %+v, %v", owed, err)
	}
	if m, ok, err := firstDue(t.Context(), s, start, every); !ok || err != nil || m.ID != "p300" ||
		m.Cause != store.CauseRead {
		t.Errorf("due %+v, %t, %v", m, ok, err)
	}
}

func TestViewHasNoWritingMethod(t *testing.T) {
	reads := []string{"Backlog", "Counts", "CursorOf", "Due", "Get", "Holders", "List", "Meta", "Outbox", "Resolve"}
	var got []string
	for m := range reflect.TypeOf(store.ReadOnly(newStore(t))).Methods() {
		got = append(got, m.Name)
	}
	slices.Sort(got)
	if !slices.Equal(got, reads) {
		t.Errorf("methods of a view: %v; only these read: %v", got, reads)
	}
}

func TestViewReads(t *testing.T) {
	s := newStore(t)
	settle(
		t,
		s,
		store.Settlement{
			Record:  store.Record{ID: "a", State: "live", Removal: store.Removal{At: after(0)}},
			Removed: true,
			Next:    &store.Mark{At: after(0)},
		},
	)
	must(t, s.PutPage(t.Context(), store.Page{Name: "updated", Cursor: store.Cursor{Value: "c"}}))
	v := store.ReadOnly(s)
	if e, err := v.Get(t.Context(), "a"); !e.Known || err != nil || e.Record.State != "live" {
		t.Errorf("get: %+v, %v", e, err)
	}
	n := 0
	for _, err := range store.Records(t.Context(), v, store.Query{}) {
		must(t, err)
		n++
	}
	cursor, ok, err := v.CursorOf(t.Context(), "updated")
	if n != 1 || !ok || err != nil || cursor.Value != "c" {
		t.Errorf("%d records, cursor %v, %t, %v", n, cursor, ok, err)
	}
	if due, _, err := v.Due(t.Context(), store.DueQuery{Classes: every, To: store.At(start)}); err != nil ||
		len(due) != 1 ||
		due[0].ID != "a" {
		t.Errorf("due %v, %v", due, err)
	}
	if f, err := v.Backlog(t.Context(), store.At(start)); f.Removed != 1 || err != nil {
		t.Errorf("%+v, %v", f, err)
	}
	if m, err := v.Meta(t.Context(), "schema"); m != schema || err != nil {
		t.Errorf("schema %q, %v", m, err)
	}
	attempt := storetest.Attempt("b", []string{"v"}, map[string]string{"v": "X"})
	if skus, err := store.PreviewSKUs(t.Context(), v, attempt); err != nil || skus["v"] != "X" {
		t.Errorf("SKUs %v, %v", skus, err)
	}
}

func TestOpenViewOfNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "none.db")
	s, err := OpenView(path)
	must(t, err)
	if _, ok, err := recordOf(t.Context(), s, "a"); ok || err != nil {
		t.Errorf("get: %t, %v", ok, err)
	}
	for r, err := range store.Records(t.Context(), s, store.Query{}) {
		t.Errorf("a record: %v, %v", r, err)
	}
	want := map[string]string{"v": "X", "w": "x"}
	skus, err := store.PreviewSKUs(t.Context(), s, storetest.Attempt("b", []string{"v", "w"}, want))
	if err != nil || skus["v"] != "X" || skus["w"] != "x-2" || want["w"] != "x" {
		t.Errorf("SKUs %v, %v", skus, err)
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

func TestOpenViewRefusesToWrite(t *testing.T) {
	s := newStore(t)
	settle(
		t,
		s,
		store.Settlement{Record: store.Record{ID: "a", State: "live"}, Next: &store.Mark{At: after(time.Hour)}},
	)
	must(t, s.Close())
	before, err := os.ReadFile(s.path)
	must(t, err)
	v, err := OpenView(s.path)
	must(t, err)
	defer v.Close()
	second, err := OpenView(s.path)
	if err != nil {
		t.Errorf("readers do not get along: %v", err)
	} else {
		must(t, second.Close())
	}
	if countsOf(t.Context(), v)["live"] != 1 {
		t.Errorf("counts %v", countsOf(t.Context(), v))
	}
	_, begin := v.Begin(t.Context(), store.Attempt{ID: "a"})
	_, settled := v.Settle(t.Context(), store.Settlement{Record: store.Record{ID: "a"}})
	_, woken := v.BringForward(t.Context(), store.At(start), store.Mark{ID: "a"})
	_, updated := store.Update(t.Context(), v, func(*store.Report, *store.Settlement) bool { return true }, "a")
	_, adopted := store.Adopt(t.Context(), v, "b", func(*store.Record, bool) bool { return true })
	for name, err := range map[string]error{
		"mark": v.Mark(t.Context(), store.Mark{ID: "a"}), "begin": begin, "settle": settled, "wake": woken,
		"update": updated, "adopt": adopted, "meta": v.SetMeta(t.Context(), "k", "v"),
		"claim": store.ClaimAccount(t.Context(), v, "x"), "page": v.PutPage(t.Context(), store.Page{Name: "n"}),
		"drop":  v.EndListing(t.Context(), store.End{Name: "n", Seen: true}),
		"end":   v.EndListing(t.Context(), store.End{Name: "n", Seen: true, Done: store.At(start)}),
		"defer": v.Reschedule(t.Context(), store.Rescheduling{ID: "a", Gen: 1}),
		"ack":   store.Acknowledge(t.Context(), v, store.Ack{}), "probe": store.Writable(t.Context(), v),
	} {
		if !errors.Is(err, store.ErrReadOnly) {
			t.Errorf("%s: %v", name, err)
		}
	}
	now, err := os.ReadFile(s.path)
	must(t, err)
	if string(now) != string(before) {
		t.Error("the view changed the file")
	}
}

func TestSecondOpenIsLocked(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	for name, open := range map[string]func(string) (*Store, error){"writer": Open, "reader": OpenView} {
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
	view, err := OpenView(v)
	must(t, err)
	if _, err := Open(v); !errors.Is(err, store.ErrLocked) {
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
	var stores [n]*Store
	for i := range n {
		wg.Go(func() {
			var err error
			if stores[i], err = Open(path); err != nil && !errors.Is(err, store.ErrLocked) {
				t.Errorf("open: %v", err)
			}
		})
	}
	wg.Wait()
	opened := 0
	for _, s := range stores {
		if s != nil {
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
	settle(t, s, store.Settlement{Record: store.Record{ID: "a"}})
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
	if _, err := Open(filepath.Join(dir, "none", "store.db")); !errors.Is(err, fs.ErrNotExist) ||
		errors.Is(err, store.ErrCorrupt) {
		t.Errorf("no such folder: %v", err)
	}
	if _, err := Open(dir); err == nil || errors.Is(err, store.ErrLocked) {
		t.Errorf("a folder: %v", err)
	}

	other := filepath.Join(dir, "other.db") // another program's
	db, err := bbolt.Open(other, 0o600, nil)
	must(t, err)
	must(t, db.Update(func(tx *bbolt.Tx) error { _, err := tx.CreateBucket([]byte("mail")); return err }))
	must(t, db.Close())
	before, err := os.ReadFile(other)
	must(t, err)
	if _, err := Open(other); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("another program's file: %v", err)
	}
	now, err := os.ReadFile(other)
	must(t, err)
	if string(now) != string(before) {
		t.Error("another program's file was changed")
	}

	for form, advice := range map[string]string{"2": "begin a new one", "4": "or a newer one"} {
		s := newStore(t)
		must(t, s.Update(t.Context(), nil, func(tx *keyed.Tx) error {
			tx.Put(keyed.Key{Bucket: keyed.BucketMeta, Key: keyed.MetaSchema}, []byte(form))
			return nil
		}))
		must(t, s.Close())
		for name, open := range map[string]func(string) (*Store, error){"writer": Open, "reader": OpenView} {
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
	for _, err := range store.Records(t.Context(), s, store.Query{}) {
		if !errors.Is(err, store.ErrClosed) {
			t.Errorf("records: %v", err)
		}
	}
}

func TestWritable(t *testing.T) {
	s := newStore(t)
	must(t, store.Writable(t.Context(), s))
	must(t, store.Writable(t.Context(), s))
	must(t, s.Close())
	if err := store.Writable(t.Context(), s); !errors.Is(err, store.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}
