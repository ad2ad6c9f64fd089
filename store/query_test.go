package store_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/store"
)

// The keys of a record, and since when it has each.
func TestKeys(t *testing.T) {
	type keys = map[store.Property]store.Instant
	for name, tt := range map[string]struct {
		record store.Record
		want   keys
	}{
		"new": {
			store.Record{State: store.StatePending, ListedAt: 5},
			keys{store.KeyState(store.StatePending): 5},
		},
		"in trouble": {
			store.Record{
				State: store.StatePending, ListedAt: 5,
				Problem: store.Problem{Kind: store.ProblemTransient, Since: 7, Wide: true},
			},
			keys{store.KeyState(store.StatePending): 7},
		},
		"on sale": {
			store.Record{State: store.StateLive, ListedAt: 5, ReadAt: 6, ShopID: "1", Sale: store.OnSale},
			keys{store.KeyState(store.StateLive): 0},
		},
		"taken over from the shop": {
			store.Record{State: store.StateLive, ListedAt: 5, ShopID: "1", Sale: store.OnSale},
			keys{store.KeyState(store.StateLive): 0, store.KeyUnread(): 5},
		},
		"held for two prices and its removal": {
			store.Record{
				State: store.StateHeld, ListedAt: 5, Sale: store.OnSale,
				Removal: store.Removal{Reason: store.RemovalAbsent, At: 6},
				Holds: []store.Hold{
					{Kind: store.HoldPrice, Since: 8}, {Kind: store.HoldRemoval, Since: 9}, {Kind: store.HoldPrice, Since: 7},
				},
			},
			keys{
				store.KeyState(store.StateHeld): 8, store.KeyHold(store.HoldPrice): 8, store.KeyHold(store.HoldRemoval): 9,
				store.KeyLeaving(): 6,
			},
		},
		"withdrawn": {
			store.Record{
				State: store.StateWithdrawn, ListedAt: 5,
				Removal: store.Removal{Reason: store.RemovalAbsent, At: 6, Done: true},
			},
			keys{store.KeyState(store.StateWithdrawn): 6},
		},
		"before 1970": {
			store.Record{State: store.StatePartial, ListedAt: -1},
			keys{store.KeyState(store.StatePartial): 0},
		},
	} {
		got := keys{}
		for _, k := range store.Keys(tt.record) {
			if _, twice := got[k.Key]; twice {
				t.Errorf("%s: got the key %s twice", name, k.Key)
			}
			got[k.Key] = k.Since
		}
		if !cmp.Equal(tt.want, got, cmp.AllowUnexported(store.Property{})) {
			t.Errorf("%s: got %v, want %v", name, got, tt.want)
		}
	}
}

// The places in the order of a key sort by time, then id, and tell both.
func TestPlaces(t *testing.T) {
	var places []string
	for _, since := range []store.Instant{0, 1, 255, 256, 1 << 40, store.Latest} {
		for _, id := range []string{"a", "a\x00", "b"} {
			place := store.Indexed{Key: store.KeyLeaving(), Since: since}.Place(id)
			places = append(places, place)
			if gotSince, gotID := store.SplitPlace(place); gotSince != since || gotID != id {
				t.Errorf("got %d and %q of a place, want %d and %q", gotSince, gotID, since, id)
			}
		}
	}
	if !slices.IsSorted(places) {
		t.Errorf("got the places %q, want them sorted", places)
	}
	if since, id := store.SplitPlace("short"); since != 0 || id != "" {
		t.Errorf("got %d and %q of what is no place, want nothing", since, id)
	}
}

// Different keys have different names, and none a byte that ends a name in an engine.
func TestKeysHaveNames(t *testing.T) {
	keys := []store.Property{store.KeyLeaving(), store.KeyUnread()}
	for _, s := range store.States() {
		keys = append(keys, store.KeyState(s))
	}
	for _, k := range store.HoldKinds() {
		keys = append(keys, store.KeyHold(k))
	}
	names := map[string]bool{}
	for _, k := range keys {
		if name := k.String(); name == "" || names[name] || slices.Contains([]byte(name), 0) {
			t.Errorf("got the name %q, want one of its own without a zero byte", name)
		}
		names[k.String()] = true
	}
}
