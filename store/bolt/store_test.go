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

	"github.com/google/go-cmp/cmp"
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

func owedLen(ctx context.Context, s *Store) (int, error) {
	f, err := s.Backlog(ctx, 0)
	return f.Owed, err
}

func refusedLen(ctx context.Context, s *Store) (int, error) {
	f, err := s.Backlog(ctx, 0)
	return f.Refused, err
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

// unseen is the ids that the enumeration under way has not met.
func unseen(ctx context.Context, s *Store) (ids []string, err error) {
	for r, err := range store.Records(ctx, s, store.Query{Unseen: true}) {
		if err != nil {
			return nil, err
		}
		ids = append(ids, r.ID)
	}
	return ids, nil
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

func TestRecordSurvivesReopening(t *testing.T) {
	s := newStore(t)
	want := fullRecord("p1")
	settle(t, s, store.Settlement{Record: want})
	if diff := cmp.Diff(want, get(t, s, "p1")); diff != "" {
		t.Error(diff)
	}
	must(t, s.Close())
	s = reopen(t, s.path)
	if diff := cmp.Diff(want, get(t, s, "p1")); diff != "" {
		t.Error("after reopening:", diff)
	}
	if _, ok, err := recordOf(t.Context(), s, "p2"); ok || err != nil {
		t.Errorf("unknown id: %t, %v", ok, err)
	}
}

func TestRecordsInOrder(t *testing.T) {
	s := newStore(t)
	const n = 600 // more than two of the transactions it is read in
	var want []string
	for i := range n {
		want = append(want, fmt.Sprintf("p%04d", (i*7)%n))
	}
	must(
		t,
		s.PutPage(t.Context(),
			store.Page{
				Name: "list",
				Changes: store.Each(want, func(_ int, _ bool, _ *store.Report, w *store.Settlement) bool {
					w.Record.State = "pending"
					return true
				}),
			},
		),
	)
	slices.Sort(want)
	for _, tt := range []struct {
		name, after string
		from        int
	}{
		{"all", "", 0},
		{"after one that is there", "p0099", 100},
		{"after one that is not", "p0099x", 100},
		{"after the last", "p9999", n},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for r, err := range store.Records(t.Context(), s, store.Query{After: tt.after}) {
				must(t, err)
				got = append(got, r.ID)
			}
			if !slices.Equal(got, want[tt.from:]) {
				t.Errorf("%d records from %v, want %d", len(got), got[:min(3, len(got))], n-tt.from)
			}
		})
	}
	// the store can be written while it is read, and the reader may stop
	for r, err := range store.Records(t.Context(), s, store.Query{}) {
		must(t, err)
		settle(t, s, store.Settlement{Record: store.Record{ID: r.ID, State: "live"}})
		break
	}
	if got := countsOf(t.Context(), s); got["live"] != 1 || got["pending"] != n-1 {
		t.Errorf("counts %v", got)
	}
}

func TestCountsFollowEveryWrite(t *testing.T) {
	s := newStore(t)
	expect := func(step string, want map[store.State]int) {
		t.Helper()
		if diff := cmp.Diff(want, countsOf(t.Context(), s)); diff != "" {
			t.Errorf("%s: %s", step, diff)
		}
	}
	expect("empty", map[store.State]int{})
	settle(t, s, store.Settlement{Record: store.Record{ID: "a", State: "pending"}})
	settle(t, s, store.Settlement{Record: store.Record{ID: "b", State: "pending"}})
	expect("two", map[store.State]int{"pending": 2})
	settle(t, s, store.Settlement{Record: store.Record{ID: "a", State: "live"}})
	expect("one moved", map[store.State]int{"pending": 1, "live": 1})
	countsOf(t.Context(), s)["live"] = 99
	expect("the map is the caller's", map[store.State]int{"pending": 1, "live": 1})
	settle(t, s, store.Settlement{Record: store.Record{ID: "b"}, Forget: true})
	expect("one forgotten", map[store.State]int{"live": 1})
	bad := store.Settlement{Record: store.Record{ID: "a", State: "held"}, Next: &store.Mark{Class: store.Classes}}
	if _, err := s.Settle(t.Context(), bad); err == nil {
		t.Error("a mark of an unknown class was taken")
	}
	expect("a failed write", map[store.State]int{"live": 1})
	must(t, s.Close())
	s = reopen(t, s.path)
	expect("reopened", map[store.State]int{"live": 1})
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

func TestMeta(t *testing.T) {
	s := newStore(t)
	if v, err := s.Meta(t.Context(), "pause"); v != "" || err != nil {
		t.Errorf("never set: %q, %v", v, err)
	}
	must(t, s.SetMeta(t.Context(), "mapped", "yes\x00\xff"))
	if v, err := s.Meta(t.Context(), "mapped"); v != "yes\x00\xff" || err != nil {
		t.Errorf("set: %q, %v", v, err)
	}
	must(t, s.SetMeta(t.Context(), "mapped", ""))
	if v, err := s.Meta(t.Context(), "mapped"); v != "" || err != nil {
		t.Errorf("removed: %q, %v", v, err)
	}
	type pause struct{ Until time.Time }
	must(t, store.SetMetaJSON(t.Context(), s, "pause", pause{start}))
	var p pause
	if ok, err := store.MetaJSON(t.Context(), s, "pause", &p); !ok || err != nil || !p.Until.Equal(start) {
		t.Errorf("with structure: %v, %t, %v", p, ok, err)
	}
	if ok, err := store.MetaJSON(t.Context(), s, "none", &p); ok || err != nil {
		t.Errorf("with structure, never set: %t, %v", ok, err)
	}
	must(t, s.SetMeta(t.Context(), "pause", "{"))
	if ok, err := store.MetaJSON(t.Context(), s, "pause", &p); ok || !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("unreadable: %t, %v", ok, err)
	}
	if err := store.SetMetaJSON(t.Context(), s, "pause", func() {}); err == nil {
		t.Error("a function was stored")
	}
	for _, name := range []string{"schema", "counts"} {
		if err := s.SetMeta(t.Context(), name, "2"); err == nil {
			t.Errorf("%s can be overwritten", name)
		}
	}
	if v, err := s.Meta(t.Context(), "schema"); v != "2" || err != nil {
		t.Errorf("schema %q, %v", v, err)
	}
}

func TestClaimAccount(t *testing.T) {
	s := newStore(t)
	must(t, store.ClaimAccount(t.Context(), s, ""))
	must(t, store.ClaimAccount(t.Context(), s, "acme"))
	must(t, store.ClaimAccount(t.Context(), s, "acme"))
	must(t, store.ClaimAccount(t.Context(), s, ""))
	err := store.ClaimAccount(t.Context(), s, "other")
	var account *store.AccountError
	if !errors.As(err, &account) || account.Store != "acme" || account.Token != "other" ||
		!strings.Contains(err.Error(), `"acme"`) {
		t.Errorf("another account: %v", err)
	}
	must(t, s.Close())
	s = reopen(t, s.path)
	if err := store.ClaimAccount(t.Context(), s, "other"); !errors.As(err, &account) {
		t.Errorf("another account after reopening: %v", err)
	}
}

func TestClaimIsOneTransaction(t *testing.T) {
	s := newStore(t)
	const n = 32
	var wg sync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		wg.Go(func() { errs[i] = store.ClaimAccount(t.Context(), s, fmt.Sprint("account ", i)) })
	}
	wg.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		}
	}
	if won != 1 {
		t.Errorf("%d accounts claimed one store", won)
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

func TestResolve(t *testing.T) {
	s := newStore(t)
	put := func(id, product, listing string) {
		settle(t, s, store.Settlement{Record: store.Record{ID: id, Product: product, Listing: listing}})
	}
	put("a", "product 1", "listing 1")
	put("b", "product 1", "listing 2")
	put("c", "product 2", "product 1")
	put("c\x00d", "product", "x")
	put("d", "product\x00c", "x")
	for _, tt := range []struct {
		name                            string
		publications, products, listing []string
		want                            []string
	}{
		{"nothing", nil, nil, nil, nil},
		{"publications that are known", []string{"b", "zz", "", "a", "b"}, nil, nil, []string{"a", "b"}},
		{"a product of two", nil, []string{"product 1"}, nil, []string{"a", "b"}},
		{"a listing", nil, nil, []string{"listing 2"}, []string{"b"}},
		{"a listing with a product's id", nil, nil, []string{"product 1"}, []string{"c"}},
		{"the same by three ways", []string{"a"}, []string{"product 1"}, []string{"listing 1"}, []string{"a", "b"}},
		{"a prefix", nil, []string{"product "}, nil, nil},
		{"the empty one", nil, []string{""}, []string{""}, nil},
		{"a zero byte in the id", nil, []string{"product"}, nil, []string{"c\x00d"}},
		{"a zero byte in the value", nil, []string{"product\x00c"}, nil, []string{"d"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := s.Resolve(t.Context(), tt.publications, tt.products, tt.listing)
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("%q, %v, want %q", got, err, tt.want)
			}
		})
	}

	put("a", "product 3", "")
	settle(t, s, store.Settlement{Record: store.Record{ID: "b"}, Forget: true})
	for product, want := range map[string][]string{"product 1": nil, "product 3": {"a"}} {
		if got, err := s.Resolve(t.Context(), nil, []string{product}, nil); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s after a move: %q, %v, want %q", product, got, err, want)
		}
	}
	if got, err := s.Resolve(t.Context(), nil, nil, []string{"listing 1", "listing 2"}); err != nil || got != nil {
		t.Errorf("listings that are gone: %q, %v", got, err)
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
	if m, err := v.Meta(t.Context(), "schema"); m != "2" || err != nil {
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

	newer := newStore(t)
	must(t, newer.Update(t.Context(), func(tx keyed.Tx) error {
		return errors.Join(
			tx.Put("meta", "schema", []byte("3")),
			tx.Put("cursor", "c", []byte("of a new form")),
		)
	}))
	must(t, newer.Close())
	for name, open := range map[string]func(string) (*Store, error){"writer": Open, "reader": OpenView} {
		if _, err := open(newer.path); err == nil || errors.Is(err, store.ErrCorrupt) ||
			!strings.Contains(err.Error(), `schema is "3"`) {
			t.Errorf("a newer schema, %s: %v", name, err)
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
