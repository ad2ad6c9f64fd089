package storetest_test

import (
	"errors"
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/bolt"
	_ "github.com/pubsync/pubsync/store/memorytest"
	"github.com/pubsync/pubsync/store/storetest"
)

// A saboteur is a store that breaks one law, by what is set of it.
type saboteur struct {
	storetest.Store
	settle  func(s storetest.Store, w store.Settlement) (store.Record, error)
	change  func(s storetest.Store, changes []store.Change) (int, error)
	begin   func(s storetest.Store, a store.Attempt) (map[string]string, error)
	page    func(s storetest.Store, p store.Page) error
	meta    func(s storetest.Store, key, value string) error
	mark    func(marks []store.Mark) error
	backlog func(f store.Backlog) store.Backlog
}

func (s saboteur) Settle(w store.Settlement) (store.Record, error) {
	if s.settle != nil {
		return s.settle(s.Store, w)
	}
	return s.Store.Settle(w)
}

func (s saboteur) Change(changes ...store.Change) (int, error) {
	if s.change != nil {
		return s.change(s.Store, changes)
	}
	return s.Store.Change(changes...)
}

func (s saboteur) Begin(a store.Attempt) (map[string]string, error) {
	if s.begin != nil {
		return s.begin(s.Store, a)
	}
	return s.Store.Begin(a)
}

func (s saboteur) PutPage(p store.Page) error {
	if s.page != nil {
		return s.page(s.Store, p)
	}
	return s.Store.PutPage(p)
}

func (s saboteur) SetMeta(key, value string) error {
	if s.meta != nil {
		return s.meta(s.Store, key, value)
	}
	return s.Store.SetMeta(key, value)
}

func (s saboteur) Mark(marks ...store.Mark) error {
	if s.mark != nil {
		return s.mark(marks)
	}
	return s.Store.Mark(marks...)
}

func (s saboteur) Backlog(now store.Instant) (store.Backlog, error) {
	f, err := s.Store.Backlog(now)
	if s.backlog != nil {
		f = s.backlog(f)
	}
	return f, err
}

// saboteurs break the law of their name.
var saboteurs = map[string]saboteur{
	"Model": {backlog: func(f store.Backlog) store.Backlog { f.Due = min(f.Due, 1); return f }},
	"Kept": {settle: func(s storetest.Store, w store.Settlement) (store.Record, error) {
		w.Record.Title = ""
		return s.Settle(w)
	}},
	"Whole": {settle: func(s storetest.Store, w store.Settlement) (store.Record, error) {
		r, err := s.Settle(w)
		if err != nil {
			w.Next = nil
			_, _ = s.Settle(w) //nolint:errcheck // what can be written is
		}
		return r, err
	}},
	"Generation": {settle: func(s storetest.Store, w store.Settlement) (store.Record, error) {
		if e, err := s.Get(w.Record.ID); err == nil && e.Mark != nil {
			w.Gen = e.Mark.Gen
		}
		return s.Settle(w)
	}},
	"Report": {change: func(s storetest.Store, changes []store.Change) (int, error) {
		for i, c := range changes {
			if e, err := s.Get(c.ID); err == nil && e.Owed != nil && c.Acked != 0 {
				changes[i].Acked = e.Owed.Seq
			}
		}
		return s.Change(changes...)
	}},
	"Together": {change: func(s storetest.Store, changes []store.Change) (int, error) {
		for _, c := range changes {
			e, err := s.Get(c.ID)
			if err != nil {
				return 0, err
			}
			w := store.Settlement{Record: e.Record}
			c.Apply(e.Known, e.Owed, &w)
			time.Sleep(time.Millisecond)
			if _, err := s.Settle(w); err != nil {
				return 0, err
			}
		}
		return len(changes), nil
	}},
	"SKU": {begin: func(s storetest.Store, a store.Attempt) (map[string]string, error) {
		_, err := s.Begin(a)
		return a.SKUs, err
	}},
	"Left": {settle: func(s storetest.Store, w store.Settlement) (store.Record, error) {
		w.Leave = false
		return s.Settle(w)
	}},
	"Account": {meta: func(s storetest.Store, key, value string) error {
		err := s.SetMeta(key, value)
		if errors.As(err, new(*store.AccountError)) {
			return nil
		}
		return err
	}},
	"Marked": {mark: func([]store.Mark) error { return nil }},
	"Panic": {change: func(s storetest.Store, changes []store.Change) (n int, err error) {
		defer func() { _ = recover() }()
		return s.Change(changes...)
	}},
	"Unkept": {page: func(s storetest.Store, p store.Page) error {
		for _, c := range p.Changes {
			if c.ID == "" || len(c.ID) > store.MaxID {
				return errors.New("an id that cannot be kept")
			}
		}
		return s.PutPage(p)
	}},
}

func TestEverySaboteurIsCaught(t *testing.T) {
	for name, value := range map[string]string{"rapid.shrinktime": "0s", "rapid.nofailfile": "true"} {
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	for _, law := range storetest.Laws() {
		t.Run(law.Name, func(t *testing.T) {
			s, ok := saboteurs[law.Name]
			if !ok {
				t.Fatal("nobody breaks this law: whether its check finds anything is not known")
			}
			broken := law.Check(t, t.TempDir(), func(place string) (storetest.Store, error) {
				honest, err := bolt.Open(place)
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
