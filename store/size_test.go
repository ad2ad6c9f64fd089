package store

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

// A catalogue is what an import of a realistic size leaves in the store, made from a seed.
type catalogue struct{ rand *rand.Rand }

func (c catalogue) id(kind string, i int) string {
	sum := sha256.Sum256([]byte(fmt.Sprint(kind, i)))
	return kind + hex.EncodeToString(sum[:])[:22] // 25 bytes with the kind
}

func (c catalogue) record(i int) Record {
	hashes := make([]byte, 64)
	for j := range hashes {
		hashes[j] = byte(c.rand.Uint32())
	}
	at := At(start.Add(time.Duration(i) * 137 * time.Millisecond))
	r := Record{
		ID: c.id("pub", i), State: "live", Title: fmt.Sprintf("Hand-made terracotta planter no. %-7d", i),
		Listing: c.id("lst", i), Product: c.id("prd", i), UpdatedAt: "2026-11-01T08:00:00.000Z", ReadAt: at, ListedAt: at - Instant(c.rand.IntN(600_000)),
		ShopID: fmt.Sprint(100000 + i), URL: fmt.Sprintf("https://shop.example.com/product/terracotta-planter-%08d/", i),
		OnSale: true, Hashes: hashes, HashRule: 1, WrittenAt: at + 700,
		History:  []Event{{At: at + 700, What: "created"}, {At: at + 1900, What: "reported success"}},
		Reported: "success", ReportedAt: at + 1900,
	}
	r.ReportedURL = r.URL
	for v := range 3 {
		r.Variants = append(r.Variants, Variant{
			ID: c.id("var", 3*i+v), ShopID: fmt.Sprint(900000 + 3*i + v), SKU: fmt.Sprintf("TERRA-%06d", 3*i+v),
			Title: "Terracotta / " + []string{"S", "M", "L"}[v], Price: "19.95", Cost: "10.00", MSRP: "19.95", Quantity: 12,
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
	records := make([]Record, n)
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
		check(s.PutPage(Page{Name: "full", Cursor: Cursor{Value: ids[len(ids)-1]}, IDs: ids, Seen: true, Judge: func(_ int, _ bool, _ *Report, w *Settlement) bool {
			w.Record.State, w.Record.ListedAt = "pending", At(start)
			w.Next = &Mark{Class: ClassNew, Cause: CauseSeen, At: At(start), Seen: "2026-11-01T08:00:00.000Z", SeenAt: At(start)}
			return true
		}}))
	}
	order := c.rand.Perm(n)
	var wg sync.WaitGroup
	for lane := range 64 {
		wg.Go(func() {
			for k := lane; k < n; k += 64 {
				r := records[order[k]]
				m, _, err := s.MarkOf(r.ID)
				check(err)
				skus, variants := map[string]string{}, []string{}
				for _, v := range r.Variants {
					skus[v.ID] = v.SKU
					variants = append(variants, v.ID)
				}
				_, err = s.Begin(Attempt{ID: r.ID, Fields: 255, Order: variants, SKUs: skus})
				check(err)
				_, err = s.Settle(Settlement{
					Record: r, Gen: m.Gen, Report: &Report{Status: "success", URL: r.URL, UpdatedAt: r.UpdatedAt, Since: r.ReadAt},
					Next: &Mark{Class: ClassRefresh, Cause: CauseRefresh, At: At(r.ReadAt.Time().Add(24 * time.Hour))},
				})
				check(err)
				owed, err := s.Owed(r.ID)
				check(err)
				check(s.Acknowledge(Ack{Report: *owed, Apply: func(*Report, *Settlement) bool { return true }}))
			}
		})
	}
	wg.Wait()
	check(s.EndEnumeration("full", start))
}

func BenchmarkTwentyThousand(b *testing.B) {
	const n = 20000
	path := filepath.Join(b.TempDir(), "store.db")
	s, err := Open(path)
	if err != nil {
		b.Fatal(err)
	}
	s.db.NoSync = true
	begin := time.Now()
	catalogue{rand.New(rand.NewPCG(1, 2))}.fill(b, s, n)
	b.Log("filled in", time.Since(begin))
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	var opens []time.Duration
	for b.Loop() {
		begin := time.Now()
		s, err := Open(path)
		if err != nil {
			b.Fatal(err)
		}
		opens = append(opens, time.Since(begin))
		if got := s.Counts()["live"]; got != n {
			b.Fatalf("%d live", got)
		}
		b.ReportMetric(float64(s.Size())/n, "bytes/record")
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
	slices.Sort(opens)
}
