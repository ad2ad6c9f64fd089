package bolt

import (
	"errors"
	"fmt"
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
