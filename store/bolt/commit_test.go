package bolt

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/keyed"
	"github.com/pubsync/pubsync/store/storetest"
	"github.com/pubsync/pubsync/store/value"
)

// gather sends writes that share one commit.
func gather(t *testing.T, s *Store, fns ...func(keyed.Tx) error) []error {
	t.Helper()
	calls := make([]func() error, len(fns))
	for i, fn := range fns {
		calls[i] = func() error { return s.Update(t.Context(), fn) }
	}
	return gatherCalls(t, s, calls...)
}

// gatherCalls makes calls that wait, in their order, while another write holds the transaction, so
// that they share the next one.
func gatherCalls(t *testing.T, s *Store, calls ...func() error) []error {
	t.Helper()
	entered, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := s.Update(t.Context(), func(keyed.Tx) error {
			once.Do(func() { close(entered) })
			<-release
			return nil
		}); err != nil {
			t.Error(err)
		}
	})
	<-entered
	errs := make([]error, len(calls))
	for i, call := range calls {
		wg.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					errs[i] = fmt.Errorf("panicked: %v", p)
				}
			}()
			errs[i] = call()
		})
		for len(s.writes) < i+1 { // it waits
			runtime.Gosched()
		}
	}
	close(release)
	wg.Wait()
	return errs
}

func putSet(key string) func(keyed.Tx) error {
	return func(tx keyed.Tx) error { return tx.Put("meta", key, value.Seal(key, []byte("set"))) }
}

func TestWritersShareACommit(t *testing.T) {
	s := newStore(t)
	var commits, writers, most atomic.Int64
	s.Observe(func(n int, took time.Duration) {
		commits.Add(1)
		writers.Add(int64(n))
		most.Store(max(most.Load(), int64(n)))
		if took <= 0 {
			t.Errorf("a commit took %s", took)
		}
	})
	const n = 64
	fns := make([]func(keyed.Tx) error, n)
	for i := range fns {
		fns[i] = putSet(fmt.Sprint("fact ", i))
	}
	for i, err := range gather(t, s, fns...) {
		if err != nil {
			t.Errorf("writer %d: %v", i, err)
		}
	}
	if commits.Load() != 2 || writers.Load() != n+1 || most.Load() != n {
		t.Errorf("%d writers in %d commits, %d at most", writers.Load(), commits.Load(), most.Load())
	}
	for i := range n {
		if v, err := s.Meta(t.Context(), fmt.Sprint("fact ", i)); v != "set" || err != nil {
			t.Errorf("fact %d: %q, %v", i, v, err)
		}
	}
}

func TestWritesFailAlone(t *testing.T) {
	s := newStore(t)
	bad := errors.New("bad write")
	var runs [6]int
	fn := func(i int, f func(tx keyed.Tx) error) func(keyed.Tx) error {
		return func(tx keyed.Tx) error { runs[i]++; return f(tx) }
	}
	leaveTrace := func(tx keyed.Tx) error { return putSet("trace of a failed write")(tx) }
	errs := gather(
		t, s,
		fn(0, putSet("0")), fn(1, func(tx keyed.Tx) error { return errors.Join(leaveTrace(tx), bad) }), fn(2, putSet("2")),
		fn(3, func(tx keyed.Tx) error { _ = leaveTrace(tx); panic("broken caller") }), //nolint:errcheck // it panics
		fn(4, putSet("4")), fn(5, func(tx keyed.Tx) error { none := []int{}; none[runs[5]]++; return nil }),
	)
	for i, want := range []string{"", "bad write", "", "panicked: broken caller", "", "panicked: runtime error: " +
		"index out of range [2] with length 0"} {
		if got := errs[i]; got == nil != (want == "") || got != nil && got.Error() != want {
			t.Errorf("writer %d: %v, want %q", i, got, want)
		}
	}
	for i, n := range runs {
		if n < 1 || n > 5 {
			t.Errorf("writer %d ran %d times", i, n)
		}
	}
	if runs[1] != 2 {
		t.Errorf("one that fails ran %d times: once with the others, once alone", runs[1])
	}
	for key, want := range map[string]string{"0": "set", "2": "set", "4": "set", "trace of a failed write": ""} {
		if v, err := s.Meta(t.Context(), key); v != want || err != nil {
			t.Errorf("fact %s: %q, %v", key, v, err)
		}
	}
	must(t, store.Writable(t.Context(), s))
}

// A write that fails for what another wrote before it, which itself was then not kept, is not told
// of a state that never was.
func TestFailedWritesAreTriedOnWhatIsKept(t *testing.T) {
	s := newStore(t)
	errs := gather(t, s, func(tx keyed.Tx) error {
		if err := tx.Put("meta", store.MetaAccount, value.Seal(store.MetaAccount, []byte("first"))); err != nil {
			return err
		}
		return errors.New("and it comes to nothing")
	}, putSet("other"))
	if errs[0] == nil || errs[1] != nil {
		t.Fatal(errs)
	}
	must(t, store.ClaimAccount(t.Context(), s, "second"))
}

// A settlement whose transaction runs twice is merged twice from the same beginning.
func TestWritesThatRunTwice(t *testing.T) {
	s := newStore(t)
	settle(
		t,
		s,
		store.Settlement{Record: store.Record{ID: "a", State: "live"}, Report: &store.Report{Status: "failed"}},
	)
	var merged, applied int
	w := store.Settlement{
		Record: store.Record{ID: "a", State: "live", HashRule: 1},
		Merge: func(now store.Record, _ *store.Report, w *store.Settlement) {
			merged++
			w.Record.HashRule++
			w.Record.History = append(w.Record.History, store.Event{What: "merged"})
		},
	}
	b := storetest.Attempt("b", []string{"v"}, map[string]string{"v": "X"})
	b.Apply = func(*store.Record) { applied++ }
	skus := map[string]string{}
	errs := gatherCalls(
		t, s,
		func() error { _, err := s.Settle(t.Context(), w); return err },
		func() (err error) {
			skus, err = s.Begin(t.Context(), b)
			return err
		},
		func() error {
			n, err := store.Update(t.Context(),
				s,
				func(_ *store.Report, w *store.Settlement) bool { w.Record.Title = "updated"; return true },
				"b",
				"unknown",
			)
			if n > 1 {
				t.Errorf("%d updated", n)
			}
			return err
		},
		func() error {
			fresh, err := store.Adopt(t.Context(), s, "c", func(*store.Record, bool) bool { return true })
			if !fresh {
				t.Error("adopted by itself")
			}
			return err
		},
		func() error { return s.Update(t.Context(), func(keyed.Tx) error { return errors.New("bad write") }) },
	)
	if merged != 2 || errs[0] != nil || errs[1] != nil || errs[2] != nil || errs[3] != nil || errs[4] == nil {
		t.Fatal(merged, errs)
	}
	if r := get(t, s, "a"); r.HashRule != 2 || len(r.History) != 1 {
		t.Errorf("merged %d times: %+v", merged, r)
	}
	if r := get(t, s, "b"); skus["v"] != "X" || len(r.Claims) != 1 {
		t.Errorf("begun %d times: %v, %+v", applied, skus, r)
	}
}

func TestPanicsOfCallersAreTheirs(t *testing.T) {
	s := newStore(t)
	settle(t, s, store.Settlement{Record: store.Record{ID: "a", State: "live"}, Next: &store.Mark{}})
	boom := func() { panic("boom") }
	for name, call := range map[string]func(){
		"merge": func() {
			s.Settle(t.Context(), store.Settlement{
				Record: store.Record{ID: "a"}, Merge: func(store.Record, *store.Report, *store.Settlement) { boom() },
			})
		},
		"update": func() {
			store.Update(t.Context(), s, func(*store.Report, *store.Settlement) bool { boom(); return true }, "a")
		},
		"judge": func() {
			s.PutPage(t.Context(), store.Page{
				Name: "n", Changes: store.Each([]string{"a"}, func(int, bool, *store.Report, *store.Settlement) bool {
					boom()
					return true
				}),
			})
		},
		"apply": func() {
			store.Acknowledge(t.Context(), s, store.Ack{
				Report: store.Report{ID: "a"}, Apply: func(*store.Report, *store.Settlement) bool {
					boom()
					return true
				},
			})
		},
		"begin": func() { s.Begin(t.Context(), store.Attempt{ID: "a", Apply: func(*store.Record) { boom() }}) },
		"adopt": func() { store.Adopt(t.Context(), s, "b", func(*store.Record, bool) bool { boom(); return true }) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if p := recover(); p == nil {
					t.Error("no panic")
				}
				if err := store.Writable(t.Context(), s); err != nil {
					t.Errorf("the store suffered: %v", err)
				}
				if r := get(t, s, "a"); r.State != "live" || countsOf(t.Context(), s)["live"] != 1 {
					t.Errorf("left behind %+v, %v", r, countsOf(t.Context(), s))
				}
			}()
			call()
		})
	}
}

func TestCloseDuringWrites(t *testing.T) {
	s := newStore(t)
	const writers = 32
	var kept [writers]int
	var wg sync.WaitGroup
	closing := make(chan struct{})
	for writer := range writers {
		wg.Go(func() {
			for i := 0; ; i++ {
				if writer == 0 && i == 20 {
					close(closing)
				}
				if err := s.Mark(t.Context(), store.Mark{ID: fmt.Sprintf("%d-%d", writer, i)}); err != nil {
					if !errors.Is(err, store.ErrClosed) {
						t.Errorf("writer %d: %v", writer, err)
					}
					return
				}
				kept[writer] = i + 1
			}
		})
	}
	<-closing
	for range 3 {
		wg.Go(func() {
			if err := s.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		})
	}
	wg.Wait()
	s = reopen(t, s.path)
	want := 0
	for writer, n := range kept {
		want += n
		for i := range n {
			if _, ok, err := markOf(t.Context(), s, fmt.Sprintf("%d-%d", writer, i)); !ok || err != nil {
				t.Errorf("mark %d-%d was acknowledged and is lost: %v", writer, i, err)
			}
		}
	}
	if n, err := dueLen(t.Context(), s, start); n != want || err != nil {
		t.Errorf("%d marks, %v, want %d", n, err, want)
	}
}
