package storetest

import (
	"context"
	"errors"
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/store"
)

// A saboteur is a store that breaks one law, by what is set of it.
type saboteur struct {
	Store
	settle  func(ctx context.Context, s Store, w store.Settlement) (store.Record, error)
	change  func(ctx context.Context, s Store, changes []store.Change) (int, error)
	begin   func(ctx context.Context, s Store, a store.Attempt) (map[string]string, error)
	page    func(ctx context.Context, s Store, p store.Page) error
	meta    func(ctx context.Context, s Store, key, value string) error
	mark    func(ctx context.Context, marks []store.Mark) error
	backlog func(f store.Backlog) store.Backlog
	list    func(q store.Query) store.Query
}

func (s saboteur) List(ctx context.Context, q store.Query) ([]store.Record, string, error) {
	if s.list != nil {
		q = s.list(q)
	}
	return s.Store.List(ctx, q)
}

func (s saboteur) Settle(ctx context.Context, w store.Settlement) (store.Record, error) {
	if s.settle != nil {
		return s.settle(ctx, s.Store, w)
	}
	return s.Store.Settle(ctx, w)
}

func (s saboteur) Change(ctx context.Context, changes ...store.Change) (int, error) {
	if s.change != nil {
		return s.change(ctx, s.Store, changes)
	}
	return s.Store.Change(ctx, changes...)
}

func (s saboteur) Begin(ctx context.Context, a store.Attempt) (map[string]string, error) {
	if s.begin != nil {
		return s.begin(ctx, s.Store, a)
	}
	return s.Store.Begin(ctx, a)
}

func (s saboteur) PutPage(ctx context.Context, p store.Page) error {
	if s.page != nil {
		return s.page(ctx, s.Store, p)
	}
	return s.Store.PutPage(ctx, p)
}

func (s saboteur) SetMeta(ctx context.Context, key, value string) error {
	if s.meta != nil {
		return s.meta(ctx, s.Store, key, value)
	}
	return s.Store.SetMeta(ctx, key, value)
}

func (s saboteur) Mark(ctx context.Context, marks ...store.Mark) error {
	if s.mark != nil {
		return s.mark(ctx, marks)
	}
	return s.Store.Mark(ctx, marks...)
}

func (s saboteur) Backlog(ctx context.Context, now store.Instant) (store.Backlog, error) {
	f, err := s.Store.Backlog(ctx, now)
	if s.backlog != nil {
		f = s.backlog(f)
	}
	return f, err
}

// saboteurs break the law of their name.
var saboteurs = map[string]saboteur{
	"Model": {backlog: func(f store.Backlog) store.Backlog { f.Due = min(f.Due, 1); return f }},
	"Kept": {settle: func(ctx context.Context, s Store, w store.Settlement) (store.Record, error) {
		w.Record.Title = ""
		return s.Settle(ctx, w)
	}},
	"Whole": {settle: func(ctx context.Context, s Store, w store.Settlement) (store.Record, error) {
		r, err := s.Settle(ctx, w)
		if err != nil {
			w.Next = nil
			_, _ = s.Settle(ctx, w) //nolint:errcheck // what can be written is
		}
		return r, err
	}},
	"Generation": {settle: func(ctx context.Context, s Store, w store.Settlement) (store.Record, error) {
		if e, err := s.Get(ctx, w.Record.ID); err == nil && e.Mark != nil {
			w.Gen = e.Mark.Gen
		}
		return s.Settle(ctx, w)
	}},
	"Report": {change: func(ctx context.Context, s Store, changes []store.Change) (int, error) {
		for i, c := range changes {
			if e, err := s.Get(ctx, c.ID); err == nil && e.Owed != nil && c.Acked != 0 {
				changes[i].Acked = e.Owed.Seq
			}
		}
		return s.Change(ctx, changes...)
	}},
	"Together": {change: func(ctx context.Context, s Store, changes []store.Change) (int, error) {
		for _, c := range changes {
			e, err := s.Get(ctx, c.ID)
			if err != nil {
				return 0, err
			}
			w := store.Settlement{Record: e.Record}
			c.Apply(e.Known, e.Owed, &w)
			time.Sleep(time.Millisecond)
			if _, err := s.Settle(ctx, w); err != nil {
				return 0, err
			}
		}
		return len(changes), nil
	}},
	"SKU": {begin: func(ctx context.Context, s Store, a store.Attempt) (map[string]string, error) {
		_, err := s.Begin(ctx, a)
		return a.Assign(nil), err
	}},
	"Left": {settle: func(ctx context.Context, s Store, w store.Settlement) (store.Record, error) {
		w.Leave = false
		return s.Settle(ctx, w)
	}},
	"Account": {meta: func(ctx context.Context, s Store, key, value string) error {
		err := s.SetMeta(ctx, key, value)
		if errors.As(err, new(*store.AccountError)) {
			return nil
		}
		return err
	}},
	"Marked": {mark: func(context.Context, []store.Mark) error { return nil }},
	"Panic": {change: func(ctx context.Context, s Store, changes []store.Change) (n int, err error) {
		defer func() { _ = recover() }()
		return s.Change(ctx, changes...)
	}},
	"Ended": {change: func(ctx context.Context, s Store, changes []store.Change) (int, error) {
		return s.Change(context.WithoutCancel(ctx), changes...)
	}},
	"Found": {list: func(q store.Query) store.Query { q.To = 0; return q }},
	"Unkept": {page: func(ctx context.Context, s Store, p store.Page) error {
		for _, c := range p.Changes {
			if c.ID == "" || len(c.ID) > store.MaxID {
				return errors.New("an id that cannot be kept")
			}
		}
		return s.PutPage(ctx, p)
	}},
}

// Sabotage breaks every law on an engine, and fails where the law's check does not find that.
func Sabotage(t *testing.T, open Open) {
	if testing.Short() {
		t.Skip("not with -short: a few drawn histories need not show what is broken")
	}
	for name, value := range map[string]string{"rapid.shrinktime": "0s", "rapid.nofailfile": "true"} {
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	for _, law := range Laws() {
		t.Run(law.Name, func(t *testing.T) {
			s, ok := saboteurs[law.Name]
			if !ok {
				t.Fatal("nobody breaks this law: whether its check finds anything is not known")
			}
			broken := law.Check(t, t.TempDir(), func(place string) (Store, error) {
				honest, err := open(place)
				s.Store = honest
				return s, err
			})
			if broken == "" {
				t.Errorf("nobody noticed that this is broken: %s", law.Says)
			}
			if !strings.HasSuffix(law.Says, ".") {
				t.Errorf("%q is no sentence", law.Says)
			}
		})
	}
}
