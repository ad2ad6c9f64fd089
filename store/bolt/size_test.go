package bolt

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/keyed"
)

// A catalogue is what an import of a realistic size leaves in the store, made from a seed.
type catalogue struct {
	rand    *rand.Rand
	inOrder bool // ids count up, as a marketplace's may
}

func (c catalogue) id(kind string, i int) string {
	sum := sha256.Sum256([]byte(fmt.Sprint(kind, i)))
	if c.inOrder {
		return fmt.Sprintf("%.1s%08d%x", kind, i, sum[:3]) // 15 bytes
	}
	return kind + hex.EncodeToString(sum[:])[:22] // 25 bytes with the kind
}

func (c catalogue) record(i int) store.Record {
	hashes := make([]byte, 64)
	for j := range hashes {
		hashes[j] = byte(c.rand.Uint32())
	}
	at := store.At(start.Add(time.Duration(i) * 137 * time.Millisecond))
	r := store.Record{
		ID: c.id("pub", i), State: "live", Title: fmt.Sprintf("Hand-made terracotta planter no. %-7d", i),
		Listing: c.id(
			"lst",
			i,
		), Product: c.id("prd", i), UpdatedAt: "2026-11-01T08:00:00.000Z", ReadAt: at,
		ListedAt: at - store.Instant(c.rand.IntN(600_000)),
		ShopID: fmt.Sprint(
			100000 + i,
		), URL: fmt.Sprintf("https://shop.example.com/product/terracotta-planter-%08d/", i),
		OnSale: true, Hashes: hashes, HashRule: 1, WrittenAt: at + 700,
		History:  []store.Event{{At: at + 700, What: "created"}, {At: at + 1900, What: "reported success"}},
		Reported: "success", ReportedAt: at + 1900,
	}
	r.ReportedURL = r.URL
	for v := range 3 {
		r.Variants = append(r.Variants, store.Variant{
			ID: c.id("var", 3*i+v), ShopID: fmt.Sprint(900000 + 3*i + v), SKU: fmt.Sprintf("TERRA-%06d", 3*i+v),
			Title: "Terracotta / " + []string{"S", "M", "L"}[v], Price: "19.95", Cost: "10.00", MSRP: "19.95", Quantity: 12,
			Supplied: store.Supply{Known: true, Cost: "10.00", MSRP: "19.95", Quantity: 14},
		})
	}
	return r
}

func (c catalogue) fill(t testing.TB, s *Store, n int) {
	t.Helper()
	check := func(err error) {
		if err != nil {
			t.Error(err)
		}
	}
	records := make([]store.Record, n)
	for i := range records {
		records[i] = c.record(i)
	}
	const page = 50
	for from := 0; from < n; from += page {
		part := records[from:min(from+page, n)]
		ids := make([]string, len(part))
		for i, r := range part {
			ids[i] = r.ID
		}
		check(
			s.PutPage(t.Context(),
				store.Page{
					Name:   "full",
					Cursor: store.Cursor{Value: ids[len(ids)-1]},
					Seen:   true,
					Changes: store.Each(ids, func(_ int, _ bool, _ *store.Report, w *store.Settlement) bool {
						w.Record.State, w.Record.ListedAt = "pending", store.At(start)
						w.Next = &store.Mark{
							Class:  store.ClassNew,
							Cause:  store.CauseSeen,
							At:     store.At(start),
							Seen:   "2026-11-01T08:00:00.000Z",
							SeenAt: store.At(start),
						}
						return true
					}),
				},
			),
		)
	}
	order := c.rand.Perm(n)
	var wg sync.WaitGroup
	for writer := range 64 {
		wg.Go(func() {
			for k := writer; k < n; k += 64 {
				r := records[order[k]]
				m, _, err := markOf(t.Context(), s, r.ID)
				check(err)
				skus, variants := map[string]string{}, []string{}
				for _, v := range r.Variants {
					skus[v.ID] = v.SKU
					variants = append(variants, v.ID)
				}
				_, err = s.Begin(t.Context(), store.Attempt{
					ID: r.ID, Fields: 1, Order: variants,
					Choose: func(map[string]store.Owner) map[string]string { return skus },
				})
				check(err)
				_, err = s.Settle(t.Context(), store.Settlement{
					Record: r, Gen: m.Gen,
					Report: &store.Report{Status: "success", URL: r.URL, UpdatedAt: r.UpdatedAt, Since: r.ReadAt},
					Next: &store.Mark{
						Class: store.ClassRefresh,
						Cause: store.CauseRefresh,
						At:    store.At(r.ReadAt.Time().Add(24 * time.Hour)),
					},
				})
				check(err)
				owed, err := owedOf(t.Context(), s, r.ID)
				check(err)
				check(
					store.Acknowledge(t.Context(),
						s,
						store.Ack{Report: *owed, Apply: func(*store.Report, *store.Settlement) bool { return true }},
					),
				)
			}
		})
	}
	wg.Wait()
	check(s.EndListing(t.Context(), store.End{Name: "full", Seen: true, Done: store.At(start)}))
}

// Measures the bytes of a publication with three variants: its marks, hints and SKUs, half-empty
// pages included.
func TestRoomOfAPublication(t *testing.T) {
	for _, tt := range []struct {
		name    string
		inOrder bool
		most    int // bytes
	}{
		{"ids of 15 bytes, listed in their order", true, 2048},
		{"ids of 25 bytes, listed in any order", false, 2048},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newStore(t)
			s.db.NoSync = true // it is only weighed
			const n = 2000
			catalogue{rand: rand.New(rand.NewPCG(1, 2)), inOrder: tt.inOrder}.fill(t, s, n)
			room := 0
			must(t, s.read(t.Context(), func(tx *tree) error {
				for _, name := range keyed.Buckets {
					stats := tx.bucket(name).Stats()
					room += stats.LeafAlloc + stats.BranchAlloc
				}
				return nil
			}))
			if room/n > tt.most {
				t.Errorf("%d bytes a publication", room/n)
			}
		})
	}
}
