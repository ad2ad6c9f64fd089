package bolt

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

func idOf(kind string, i int) string {
	sum := sha256.Sum256([]byte(fmt.Sprint(kind, i)))
	return kind + hex.EncodeToString(sum[:])[:22]
}

// record is what a store holds of a realistic publication with three variants.
func record(i int) store.Record {
	at := store.At(start.Add(time.Duration(i) * 137 * time.Millisecond))
	r := store.Record{
		ID: idOf("pub", i), State: "live", Title: fmt.Sprintf("Hand-made terracotta planter no. %-7d", i),
		Listing: idOf("lst", i), Product: idOf("prd", i), UpdatedAt: "2026-11-01T08:00:00.000Z", ReadAt: at,
		ListedAt: at - 600_000, ShopID: fmt.Sprint(100000 + i), Sale: store.OnSale, WrittenAt: at + 700,
		URL:     fmt.Sprintf("https://shop.example.com/product/terracotta-planter-%08d/", i),
		Attempt: store.Attempt{No: 1}, Reported: "success", ReportedAt: at + 1900,
		Hashes: map[shopadapter.Fields]uint64{1: 1 << 60, 2: 1 << 61, 4: 1 << 62, 8: 1 << 59, 16: 1 << 58},
	}
	r.ReportedURL = r.URL
	for v := range 3 {
		r.Variants = append(r.Variants, store.Variant{
			ID: idOf("var", 3*i+v), ShopID: fmt.Sprint(900000 + 3*i + v), SKU: fmt.Sprintf("TERRA-%06d", 3*i+v),
			Title: "Terracotta", Supply: store.Supply{Known: true, Cost: "10.00", MSRP: "19.95", Quantity: 14},
			Written: store.Written{Price: "19.95", Cost: "10.00", MSRP: "19.95", Quantity: 12, Offered: 14},
		})
	}
	return r
}

// imports imports publications: they are listed, begun, settled, and reported.
func imports(t testing.TB, s opened, n int) {
	t.Helper()
	ids := make([]string, n)
	for i := range ids {
		ids[i] = idOf("pub", i)
	}
	for page := range slices.Chunk(ids, 50) {
		must(t, s.PutPage(t.Context(), store.Page{
			Name: "full", Seen: true, IDs: page, Change: func(_ int, e *store.Entry) bool {
				e.Record.State, e.Record.ListedAt = "pending", store.At(start)
				e.Note(store.Mark{Class: store.ClassNew, At: store.At(start), Seen: "2026-11-01T08:00:00.000Z"})
				return true
			},
		}))
	}
	var all sync.WaitGroup
	for writer := range 64 {
		all.Go(func() {
			for i := writer; i < n; i += 64 {
				r := record(i)
				var skus, keys []string
				for _, v := range r.Variants {
					skus, keys = append(skus, v.SKU), append(keys, store.SKUKey(v.SKU))
				}
				must(t, s.Begin(t.Context(), r.ID, keys, func(e *store.Entry, _ map[string]string) error {
					e.Record.Claims, e.Record.Attempt = skus, store.Attempt{No: 1, Until: r.WrittenAt, Fields: 1}
					return nil
				}))
				change(t, s, r.ID, func(e *store.Entry) {
					e.Record = r
					e.Mark = &store.Mark{Class: store.ClassRefresh, At: r.ReadAt + 86_400_000}
					e.Owed = &store.Report{Status: "success", URL: r.URL, UpdatedAt: r.UpdatedAt, Since: r.ReadAt}
					e.Tell(store.Event{At: r.WrittenAt, What: "created"})
				})
				change(t, s, r.ID, func(e *store.Entry) {
					e.Owed = nil
					e.Tell(store.Event{At: r.ReportedAt, What: "reported success"})
				})
			}
		})
	}
	all.Wait()
}

// What a look costs the store in a catalogue of 20,000: a publication on sale that is settled as it
// was, and one that enters the store, is sent to the shop and settled.
func BenchmarkSettle(b *testing.B) {
	const n = 20_000
	b.Run("live", func(b *testing.B) {
		s := newStore(b)
		s.db.NoSync = true
		imports(b, s, n)
		next := &store.Mark{Class: store.ClassRefresh, At: store.At(start.Add(48 * time.Hour))}
		records := make([]store.Record, n)
		for i := range records {
			records[i] = record(i)
		}
		b.ResetTimer()
		for i := range b.N {
			r := records[i%n]
			r.ReadAt++
			change(b, s, r.ID, func(e *store.Entry) { e.Record, e.Mark = r, next })
		}
	})
	b.Run("import", func(b *testing.B) {
		s := newStore(b)
		s.db.NoSync = true
		imports(b, s, b.N)
	})
}
