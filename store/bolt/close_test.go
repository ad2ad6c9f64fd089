package bolt

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pubsync/pubsync/store"
)

func hook(id string) store.Mark {
	return store.Mark{ID: id, Class: store.ClassHook, At: store.At(start)}
}

func TestCloseWhileMarking(t *testing.T) {
	s := newStore(t)
	var marked atomic.Int64
	var writing sync.WaitGroup
	for w := range 8 {
		writing.Go(func() {
			for i := 0; ; i++ {
				switch err := s.Mark(t.Context(), hook(fmt.Sprint(w, " ", i))); {
				case errors.Is(err, store.ErrClosed):
					return
				case err != nil:
					t.Error(err)
					return
				}
				marked.Add(1)
			}
		})
	}
	for marked.Load() < 50 {
		time.Sleep(time.Millisecond)
	}
	must(t, s.Close())
	writing.Wait()
	s = reopen(t, s.path)
	if n, err := dueLen(t.Context(), s, start); int64(n) != marked.Load() || err != nil {
		t.Errorf("got %d due, %v, want the %d that were acknowledged", n, err, marked.Load())
	}
}

// A file that was moved away, or that a backup was put in the place of, takes nothing more: it
// would be lost with the process.
func TestReplacedStore(t *testing.T) {
	for name, replace := range map[string]func(path string) error{
		"removed": os.Remove,
		"replaced": func(path string) error {
			return errors.Join(os.Rename(path, path+".old"), os.WriteFile(path, []byte("x"), 0o600))
		},
	} {
		s := newStore(t)
		must(t, s.Mark(t.Context(), hook("a")))
		must(t, replace(s.path))
		if err := s.Mark(t.Context(), hook("b")); !errors.Is(err, store.ErrReplaced) || !store.Hopeless(err) {
			t.Errorf("%s: got %v for a mark, want ErrReplaced", name, err)
		}
		if err := store.Writable(t.Context(), s.Store); !errors.Is(err, store.ErrReplaced) {
			t.Errorf("%s: got %v from Writable, want ErrReplaced", name, err)
		}
		must(t, s.Close())
	}
}
