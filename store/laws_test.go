package store_test

import (
	"sync"
	"testing"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/kvtest"
)

func TestLawsOfMemory(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	kvs := map[string]*store.Memory{}
	kvtest.Run(t, func(place string) (store.KV, error) {
		mu.Lock()
		defer mu.Unlock()
		if kvs[place] == nil {
			kvs[place] = store.NewMemory()
		}
		return kvs[place], nil
	})
}

// A plan sees the store as it was when the plan began, and changes nothing of it.
func TestOver(t *testing.T) {
	t.Parallel()
	s := store.InMemory()
	live := func(e *store.Entry) {
		e.Record.State = store.StateLive
		e.Tell(store.Event{What: "seen"})
	}
	change(t, s, "a", live)
	over, err := store.Over(t.Context(), s)
	must(t, err)
	change(t, s, "b", live)
	change(t, over, "a", func(e *store.Entry) { e.Record.State = store.StateHeld })
	if e := get(t, over, "b"); e.Known {
		t.Error("the plan sees what came later")
	}
	if e := get(t, s, "a"); e.Record.State != store.StateLive {
		t.Errorf("the plan made the record %s", e.Record.State)
	}
	if e := get(t, over, "a"); e.Record.State != store.StateHeld {
		t.Errorf("the plan has the record %s", e.Record.State)
	}
}
