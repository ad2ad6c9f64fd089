package bolt

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pubsync/pubsync/store"
)

func TestVariantsSayWhatDiffers(t *testing.T) {
	first := store.Variant{ID: "var-1", ShopID: "gid://shop/7", SKU: "TERRA-S", Title: "Terracotta / S", Price: "19.95", Cost: "10.00", MSRP: "24.95", Quantity: 3}
	for _, tt := range []struct {
		name string
		next store.Variant
		most int // bytes that it takes beside the first
	}{
		{"one that is the same", first, 4},
		{"one of another size", store.Variant{
			ID: "var-2", ShopID: "gid://shop/8", SKU: "TERRA-M", Title: "Terracotta / M", Price: "19.95", Cost: "10.00", MSRP: "24.95", Quantity: 5,
		}, 20},
		{"one that has less", store.Variant{ID: "var-1"}, 20},
		{"one that begins as the other", store.Variant{ID: "var", ShopID: "gid://shop/70", SKU: "12", Title: "é", Price: "1.0", Refused: "no size", Unpriced: true}, 50},
		{"one that is empty", store.Variant{}, 24},
		{"one written as supplied", store.Variant{
			ID: "var-1", ShopID: "gid://shop/7", SKU: "TERRA-S", Title: "Terracotta / S", Price: "19.95", Cost: "10.00", MSRP: "24.95", Quantity: 3,
			Supplied: store.Supply{Known: true, Cost: "10.00", MSRP: "24.95", Quantity: 3},
		}, 6},
		{"one written otherwise than supplied", store.Variant{
			ID: "var-1", ShopID: "gid://shop/7", SKU: "TERRA-S", Title: "Terracotta / S", Price: "19.95", Cost: "10.00", MSRP: "24.95", Quantity: 3,
			Supplied: store.Supply{Known: true, Cost: "12.00", Quantity: 0, Backorders: true},
		}, 20},
	} {
		t.Run(tt.name, func(t *testing.T) {
			alone := store.Record{ID: "a", State: store.StateLive, Variants: []store.Variant{first}}
			both := alone
			both.Variants = []store.Variant{first, tt.next}
			value := encodeRecord(both)
			if took := len(value) - len(encodeRecord(alone)); took > tt.most {
				t.Errorf("it takes %d bytes", took)
			}
			got, err := decodeRecord("a", seal([]byte("a"), value))
			must(t, err)
			if diff := cmp.Diff(both, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestVariantsThatShareMoreThanThereIs(t *testing.T) {
	c := codec{writing: true}
	c.writeSized(37, 4)
	c.buf = append(c.buf, 1<<2|kindBytes, 2, 9, 'x') // nine bytes of nothing
	if _, err := decodeRecord("a", seal([]byte("a"), c.buf)); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("read as %v", err)
	}
}

// A word's place stands in every store.
func TestWordsKeepTheirPlaces(t *testing.T) {
	want := []string{
		"", "live", "success", "created", "reported success", "en", "nl", "pending", "partial", "blocked", "rejected", "held", "withdrawn", "failed",
		"reported failed", "updated price", "updated stock", "updated price, stock", "updated title", "updated description", "updated images", "transient",
		"waiting", "price", "removal", "foreign", "absent", "no-listing", "no-variants", "de", "fr",
	}
	if diff := cmp.Diff(want, words[:min(len(want), len(words))]); diff != "" {
		t.Error(diff)
	}
	for _, text := range []string{"", "live", "7", "19.95", "2026-11-01T08:00:00Z", "another"} {
		r := store.Record{ID: "a", State: store.State(text), Language: text, History: []store.Event{{What: text}}}
		got, err := decodeRecord("a", seal([]byte("a"), encodeRecord(r)))
		must(t, err)
		if diff := cmp.Diff(r, got); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
	c := codec{writing: true}
	c.writeInt(1, kindInt, int64(len(words)))
	if _, err := decodeRecord("a", seal([]byte("a"), c.buf)); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("a word that nobody knows is read as %v", err)
	}
}

// A new record has the room that it grows into, and one that was written has no more than it takes.
func TestRoomOfNewRecords(t *testing.T) {
	r := store.Record{ID: "a", State: store.StatePending, Title: "Planter"}
	if n := len(encodeRecord(r)); n != roomOfNew {
		t.Errorf("a new one takes %d bytes", n)
	}
	got, err := decodeRecord("a", seal([]byte("a"), encodeRecord(r)))
	if diff := cmp.Diff(r, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if r.State = store.StateLive; len(encodeRecord(r)) > 20 {
		t.Errorf("a live one takes %d bytes", len(encodeRecord(r)))
	}
}
