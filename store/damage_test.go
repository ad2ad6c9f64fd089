package store_test

import (
	"errors"
	"testing"

	"github.com/pubsync/pubsync/store"
)

// A key of the due set whose mark does not agree is damage, where it is met.
func TestADueKeyWithoutItsMark(t *testing.T) {
	for name, key := range map[string]string{
		"of nobody":     dueKey(store.Mark{ID: "nobody"}),
		"another time":  dueKey(store.Mark{ID: "a", At: 5}),
		"another class": dueKey(store.Mark{ID: "a", Class: store.ClassSweep}),
	} {
		t.Run(name, func(t *testing.T) {
			s := store.InMemory()
			must(t, s.Mark(t.Context(), store.Mark{ID: "a", At: 7}))
			must(t, s.Update(t.Context(), nil, func(tx *store.Tx) error {
				tx.Put(store.Key{Bucket: "due", Key: dueKey(store.Mark{ID: "a", At: 7})}, nil)
				tx.Put(store.Key{Bucket: "due", Key: key}, []byte{})
				return nil
			}))
			if _, _, err := s.Due(t.Context(), store.DueQuery{Classes: store.AllClasses, To: store.At(begun)}); !errors.Is(
				err,
				store.ErrCorrupt,
			) {
				t.Errorf("%v", err)
			}
		})
	}
}

// A key that no record has is not believed where it is met.
func TestAKeyWithoutItsRecordIsNotBelieved(t *testing.T) {
	s := store.InMemory()
	held := store.Indexed{Key: store.KeyState(store.StateHeld), Since: 5}
	must(t, s.Update(t.Context(), nil, func(tx *store.Tx) error {
		tx.Put(store.Key{Bucket: "index", Key: held.Key.String() + "\x00" + held.Place("a")}, []byte{})
		return nil
	}))
	if _, _, err := s.List(t.Context(), store.Query{Key: held.Key}); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("got %v, want ErrCorrupt", err)
	}
}

// dueKey is the key of a mark in the due set.
func dueKey(m store.Mark) string {
	return string([]byte{byte(m.Class), 0, 0, 0, 0, 0, 0, 0, byte(m.At)}) + m.ID
}
