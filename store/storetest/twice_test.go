package storetest_test

import (
	"fmt"
	"testing"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/keyed"
	"github.com/pubsync/pubsync/store/storetest"
)

// A failure is what a test was told.
type failure struct {
	testing.TB
	told int
}

func (f *failure) Helper()               {}
func (f *failure) Errorf(string, ...any) { f.told++ }

// Each function that counts its runs is found out, and none that does not.
func TestTwice(t *testing.T) {
	for name, tt := range map[string]struct {
		impure bool
	}{"a pure function": {false}, "one that counts its runs": {true}} {
		t.Run(name, func(t *testing.T) {
			runs, ctx := 0, t.Context()
			ran := func() int {
				if tt.impure {
					runs++
				}
				return runs
			}
			calls := map[string]func(s store.Store) error{
				"Begin": func(s store.Store) error {
					_, err := s.Begin(ctx, store.Attempt{ID: "a", Apply: func(r *store.Record) { r.HashRule = ran() }})
					return err
				},
				"Begin's Choose": func(s store.Store) error {
					_, err := s.Begin(ctx, store.Attempt{
						ID: "a", Order: []string{"v"}, Choose: func(map[string]store.Owner) map[string]string {
							return map[string]string{"v": fmt.Sprint(ran())}
						},
					})
					return err
				},
				"Settle": func(s store.Store) error {
					_, err := s.Settle(ctx, store.Settlement{
						Record: store.Record{ID: "a"},
						Merge: func(_ store.Record, _ *store.Report, w *store.Settlement) {
							w.Next = &store.Mark{At: store.Instant(ran())}
						},
					})
					return err
				},
				"Change": func(s store.Store) error {
					_, err := s.Change(ctx, store.Change{
						ID: "a", Unknown: true, Apply: func(bool, *store.Report, *store.Settlement) bool { return ran()%2 == 0 },
					})
					return err
				},
				"PutPage": func(s store.Store) error {
					return s.PutPage(ctx, store.Page{Name: "p", Changes: store.Each(
						[]string{"a"}, func(_ int, _ bool, _ *store.Report, w *store.Settlement) bool {
							w.Report = &store.Report{Since: store.Instant(ran())}
							return true
						},
					)})
				},
			}
			for method, call := range calls {
				f := &failure{TB: t}
				if err := call(storetest.Twice(f, keyed.InMemory())); err != nil {
					t.Errorf("%s: %v", method, err)
				}
				if got := f.told > 0; got != tt.impure {
					t.Errorf("%s: found out: got %t, want %t", method, got, tt.impure)
				}
			}
		})
	}
}
