package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
)

// Calls that come during a commit share the next one. Each that fails or panics does so alone, and a
// group that closes answers what it took.
func TestCallsShareACommitAndFailAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kv, commits := &Memory{held: NewTx(nil, nil)}, []int{}
		g := NewGroup(func(calls []*Write) error {
			commits = append(commits, len(calls))
			return kv.Update(context.Background(), nil, func(tx *Tx) error {
				for _, c := range calls {
					c.Run(tx)
				}
				return nil
			})
		})
		var all sync.WaitGroup
		outcomes := make([]string, 5)
		call := func(i int, fn func(*Tx) error) {
			all.Go(func() {
				defer func() {
					if p := recover(); p != nil {
						outcomes[i] = fmt.Sprint("panic: ", p)
					}
				}()
				outcomes[i] = fmt.Sprint(g.Update(context.Background(), nil, fn))
			})
		}
		put := func(key string) func(*Tx) error {
			return func(tx *Tx) error { tx.Put(Key{BucketMeta, key}, []byte("set")); return nil }
		}
		hold := make(chan struct{})
		call(0, func(*Tx) error { <-hold; return nil })
		synctest.Wait()
		call(1, put("a"))
		call(2, func(tx *Tx) error { return errors.Join(put("trace")(tx), errors.New("bad write")) })
		call(3, func(tx *Tx) error { _ = put("trace")(tx); panic("broken caller") })
		call(4, put("b"))
		synctest.Wait()
		go g.Close()
		synctest.Wait()
		if err := g.Update(context.Background(), nil, put("late")); !errors.Is(err, ErrClosed) {
			t.Errorf("got %v from a closed group, want ErrClosed", err)
		}
		close(hold)
		all.Wait()
		want := []string{"<nil>", "<nil>", "bad write", "panic: broken caller", "<nil>"}
		if !slices.Equal(outcomes, want) {
			t.Errorf("got %q, want %q", outcomes, want)
		}
		if !slices.Equal(commits, []int{1, 4}) {
			t.Errorf("got commits of %v, want one and then all that waited", commits)
		}
		if got := kv.held.writes[BucketMeta].keys; !slices.Equal(got, []string{"a", "b"}) {
			t.Errorf("got %q written, want a and b", got)
		}
	})
}

// A panic in a commit goes on in the caller that leads it. The others are answered, and the next can write.
func TestACommitThatPanicsHoldsUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := true
		g := NewGroup(func([]*Write) error {
			if broken {
				panic("broken engine")
			}
			return nil
		})
		update := func() (err error) {
			defer func() {
				if p := recover(); p != nil {
					err = fmt.Errorf("panic: %v", p)
				}
			}()
			return g.Update(context.Background(), nil, func(*Tx) error { return nil })
		}
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				if update() == nil {
					t.Error("got no error from a commit that panicked")
				}
			})
		}
		all.Wait()
		if broken = false; update() != nil {
			t.Error("the next write fails too")
		}
		g.Close()
	})
}
