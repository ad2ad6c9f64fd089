package engine

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/bolt"
)

// A hookedStore calls a test after the next reading, which is that of the marks that are due.
type hookedStore struct {
	store.Store
	afterDue func()
}

// A hookedKV is what a hookedStore reads.
type hookedKV struct {
	store.KV
	s *hookedStore
}

func (h hookedKV) View(ctx context.Context, fn func(*store.Tx) error) error {
	err := h.KV.View(ctx, fn)
	if h.s.afterDue != nil {
		h.s.afterDue()
	}
	return err
}

// newClaims is an engine over an empty store. Every change counts as a backlog.
func newClaims(t *testing.T) (*Engine, *hookedStore) {
	t.Helper()
	s := &hookedStore{Store: newStore(t)}
	return New(Options{Store: store.Store{KV: hookedKV{s.KV, s}}, Scarce: func() bool { return true }, Concurrency: 1}), s
}

// mark makes publications due in a class.
func (s *hookedStore) mark(t *testing.T, class store.Class, ids ...string) {
	t.Helper()
	for _, id := range ids {
		m := store.Mark{ID: id, Class: class, At: store.At(time.Now().Add(-time.Second))}
		if err := s.Mark(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
}

// settle ends the look of a claim in the store: nothing is due of it any more.
func (s *hookedStore) settle(t *testing.T, m store.Mark) {
	t.Helper()
	_, err := s.Change(t.Context(), []string{m.ID}, func(e *store.Entry) bool {
		if e.Record.State = store.StateLive; m.Class == store.ClassHint {
			e.Hint = nil
		} else {
			e.Mark = nil
		}
		return true
	})
	if err != nil {
		t.Error(err)
	}
}

// next claims what is next in a queue, "" for nothing.
func next(t *testing.T, x *Engine, q queue) (c *claim, id string) {
	t.Helper()
	c, _, err := x.choose(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if c == nil {
		return nil, ""
	}
	if ok, err := x.beginLook(t.Context(), c); !ok || err != nil {
		t.Fatalf("got %t, %v, want a look that begins", ok, err)
	}
	return c, c.mark.ID
}

// A look may begin and end between the reading of the due set and the claim: what it has settled is
// not claimed once more.
func TestAMarkThatWasSettledMeanwhileIsNotClaimed(t *testing.T) {
	for _, row := range []struct {
		name string
		end  func(*testing.T, *Engine, *hookedStore, store.Mark)
		want string
	}{
		{"settled", func(t *testing.T, x *Engine, s *hookedStore, m store.Mark) { s.settle(t, m) }, ""},
		{"put off", func(t *testing.T, x *Engine, s *hookedStore, m store.Mark) {
			if err := x.putOff(t.Context(), m, time.Now().Add(time.Hour), 0); err != nil {
				t.Error(err)
			}
		}, ""},
		{"marked again", func(t *testing.T, _ *Engine, s *hookedStore, _ store.Mark) {
			s.mark(t, store.ClassHook, "p1")
		}, "p1"},
		{"left as it is", func(*testing.T, *Engine, *hookedStore, store.Mark) {}, "p1"},
	} {
		t.Run(row.name, func(t *testing.T) {
			x, file := newClaims(t)
			file.mark(t, store.ClassNew, "p1")
			file.afterDue = sync.OnceFunc(func() {
				file.afterDue = nil
				other, _ := next(t, x, queueAny)
				row.end(t, x, file, other.mark)
				x.leave(other)
			})
			c, got := next(t, x, queueAny)
			if got != row.want {
				t.Fatalf("claimed %q, want %q", got, row.want)
			}
			if row.want == "" {
				return
			}
			e, err := file.Store.Get(t.Context(), "p1")
			if err != nil {
				t.Fatal(err)
			}
			if c.mark != *e.Mark {
				t.Errorf("claimed as %+v, want %+v", c.mark, *e.Mark)
			}
		})
	}
}

// Many workers look at each publication once, and at no time two at one.
func TestWorkersShareTheDueSet(t *testing.T) {
	x, file := newClaims(t)
	var want []string
	for i := range 200 {
		want = append(want, fmt.Sprintf("p%03d", i))
	}
	file.mark(t, store.ClassNew, want...)
	var mu sync.Mutex
	looks, working := map[string]int{}, map[string]bool{}
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			for {
				c, id := next(t, x, queueAny)
				if id == "" {
					return
				}
				mu.Lock()
				if working[id] {
					t.Errorf("got two looks at %s at once, want one", id)
				}
				working[id] = true
				looks[id]++
				mu.Unlock()
				file.settle(t, c.mark)
				mu.Lock()
				working[id] = false
				mu.Unlock()
				x.leave(c)
			}
		})
	}
	workers.Wait()
	for _, id := range want {
		if looks[id] != 1 {
			t.Errorf("%d looks at %s, want 1", looks[id], id)
		}
	}
	if n := len(x.looked()); n != 0 {
		t.Errorf("%d are busy at the end, want none", n)
	}
}

func newStore(t *testing.T) store.Store {
	t.Helper()
	s, err := bolt.Open(filepath.Join(t.TempDir(), "pubsync.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
