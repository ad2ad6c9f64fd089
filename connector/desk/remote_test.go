package desk

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/store"
)

// A jobs makes each run in an hour.
type jobs struct{ Worker }

func (jobs) Run(ctx context.Context, _ RunOptions) (Summary, error) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Hour):
	}
	return Summary{Created: 1}, ctx.Err()
}

// A run is waited for as long as a process makes it, and is given up soon where none does.
func TestARunOfAnotherProcess(t *testing.T) {
	for name, works := range map[string]bool{"nobody works on the account": false, "the run takes an hour": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := store.InMemory()
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Hour)
				var work sync.WaitGroup
				if works {
					work.Go(func() {
						worker := &Local{Store: s, Worker: jobs{}}
						for ctx.Err() == nil {
							if err := worker.carryOut(ctx); err != nil && ctx.Err() == nil {
								t.Error(err)
							}
							time.Sleep(time.Second)
						}
					})
				}
				got, err := Remote{Alone: Alone{s}}.Run(ctx, RunOptions{Patience: 2 * time.Second})
				var e *Error
				if !works && (!errors.As(err, &e) || e.Exit != ExitStore) || works && (err != nil || got.Created != 1) {
					t.Errorf("%d are created, error %v; want one, or the exit code of the store", got.Created, err)
				}
				cancel()
				work.Wait()
			})
		})
	}
}
