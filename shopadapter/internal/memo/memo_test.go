package memo_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/shopadapter/internal/memo"
)

func TestMemo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		readings, broken := 0, error(nil)
		m := memo.New(time.Minute, func(context.Context) (int, error) {
			time.Sleep(time.Second)
			readings++
			return readings, broken
		})
		expect := func(step string, fresh bool, want int) {
			t.Helper()
			if got, err := m.Get(t.Context(), fresh); err != nil || got != want {
				t.Errorf("%s: %d, %v, want %d", step, got, err, want)
			}
		}
		expect("the first", false, 1)
		expect("while it is young", false, 1)
		expect("a fresh one", true, 2)
		time.Sleep(time.Minute)
		expect("when it is old", false, 3)
		m.Forget()
		expect("forgotten", false, 4)
		expect("not forgotten again", false, 4)

		broken = errors.New("away")
		if _, err := m.Get(t.Context(), true); !errors.Is(err, broken) {
			t.Errorf("the error is %v", err)
		}
		expect("after a failure the last one counts", false, 4)
	})
}

// All that ask at the same time wait for one reading, and one whose context ends waits no longer.
func TestMemoReadsOnceForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		readings := 0
		m := memo.New(time.Minute, func(context.Context) (int, error) {
			time.Sleep(time.Second)
			readings++
			return readings, nil
		})
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() { _, _ = m.Get(t.Context(), false) })
		}
		all.Go(func() {
			time.Sleep(time.Millisecond)
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			if _, err := m.Get(ctx, false); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("one that ran out of time waits: %v", err)
			}
		})
		all.Wait()
		if readings != 1 {
			t.Errorf("%d readings for five that ask", readings)
		}
	})
}

// A reading that is forgotten while it is under way is made again.
func TestMemoForgetsWhatIsBeingRead(t *testing.T) {
	readings := 0
	var m *memo.Memo[int]
	m = memo.New(time.Minute, func(context.Context) (int, error) {
		if readings++; readings == 1 {
			m.Forget()
		}
		return readings, nil
	})
	_, _ = m.Get(t.Context(), false)
	if got, err := m.Get(t.Context(), false); err != nil || got != 2 {
		t.Errorf("%d, %v", got, err)
	}
}
