package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
)

// grouped is a group above memory, whose first call holds its transaction until release is called.
func grouped(t *testing.T) (g *Group, kv *Memory, commits *[]int, release func()) {
	t.Helper()
	kv, commits = NewMemory(), &[]int{}
	g = NewGroup(func(calls []*Write) error {
		*commits = append(*commits, len(calls))
		return kv.Update(context.Background(), nil, func(tx *Tx) error {
			for _, c := range calls {
				_ = c.Run(tx) //nolint:errcheck // its caller gets it
			}
			return nil
		})
	})
	entered, hold := make(chan struct{}), make(chan struct{})
	first, err := g.enter(nil, func(*Tx) error { close(entered); <-hold; return nil })
	if err != nil {
		t.Fatal(err)
	}
	<-entered
	return g, kv, commits, func() {
		close(hold)
		if err := <-first; err != nil {
			t.Error(err)
		}
	}
}

func TestCallsShareACommitAndFailAlone(t *testing.T) {
	t.Parallel()
	g, kv, commits, release := grouped(t)
	bad := errors.New("bad write")
	put := func(key string) func(*Tx) error {
		return func(tx *Tx) error { tx.Put(Key{BucketMeta, key}, []byte("set")); return nil }
	}
	calls := []func(*Tx) error{
		put("a"),
		func(tx *Tx) error { return errors.Join(put("trace")(tx), bad) },
		func(tx *Tx) error { _ = put("trace")(tx); panic("broken caller") }, //nolint:errcheck // it panics
		put("b"),
	}
	outcomes := make([]<-chan error, len(calls))
	for i, fn := range calls {
		var err error
		if outcomes[i], err = g.enter(nil, fn); err != nil {
			t.Fatal(err)
		}
	}
	release()
	for i, want := range []string{"<nil>", "bad write", "panic in a function of a transaction", "<nil>"} {
		if got := fmt.Sprint(<-outcomes[i]); got != want {
			t.Errorf("call %d: got %v, want %s", i, got, want)
		}
	}
	if !slices.Equal(*commits, []int{1, len(calls)}) {
		t.Errorf("got commits of %v, want one and then all that waited", *commits)
	}
	if got := kv.held[BucketMeta].keys; !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("got %q written, want a and b", got)
	}
}

func TestAGroupThatClosesAnswersWhatItTook(t *testing.T) {
	t.Parallel()
	g, _, _, release := grouped(t)
	taken, err := g.enter(nil, func(*Tx) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	ended := g.Close()
	if _, err := g.enter(nil, func(*Tx) error { return nil }); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v from a closed group, want ErrClosed", err)
	}
	release()
	<-ended
	select {
	case err := <-taken:
		if err != nil {
			t.Error(err)
		}
	default:
		t.Error("the group has ended, and a call that it took is not answered")
	}
}
