package bolt

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
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
	hashes := map[shopadapter.Fields]uint64{}
	for group := shopadapter.FieldTitle; group <= shopadapter.FieldDetails; group <<= 1 {
		if group != shopadapter.FieldPrice && group != shopadapter.FieldStock { // they have no hash
			hashes[group] = c.rand.Uint64()
		}
	}
	at := store.At(start.Add(time.Duration(i) * 137 * time.Millisecond))
	r := store.Record{
		ID: c.id("pub", i), State: "live", Title: fmt.Sprintf("Hand-made terracotta planter no. %-7d", i),
		Listing: c.id("lst", i), Product: c.id("prd", i), UpdatedAt: "2026-11-01T08:00:00.000Z", ReadAt: at,
		ListedAt: at - store.Instant(c.rand.IntN(600_000)), ShopID: fmt.Sprint(100000 + i),
		URL:  fmt.Sprintf("https://shop.example.com/product/terracotta-planter-%08d/", i),
		Sale: store.OnSale, Hashes: hashes, WrittenAt: at + 700, Attempt: store.Attempt{No: 1},
		Reported: "success", ReportedAt: at + 1900,
	}
	r.ReportedURL = r.URL
	for v := range 3 {
		r.Variants = append(r.Variants, store.Variant{
			ID: c.id("var", 3*i+v), ShopID: fmt.Sprint(900000 + 3*i + v), SKU: fmt.Sprintf("TERRA-%06d", 3*i+v),
			Title:   "Terracotta / " + []string{"S", "M", "L"}[v],
			Supply:  store.Supply{Known: true, Cost: "10.00", MSRP: "19.95", Quantity: 14},
			Written: store.Written{Price: "19.95", Cost: "10.00", MSRP: "19.95", Quantity: 12, Offered: 14},
		})
	}
	return r
}

// fill imports publications: they are listed, begun, settled, and reported.
func (c catalogue) fill(t testing.TB, s opened, n int) {
	t.Helper()
	records := make([]store.Record, n)
	ids := make([]string, n)
	for i := range records {
		records[i] = c.record(i)
		ids[i] = records[i].ID
	}
	for page := range slices.Chunk(ids, 50) {
		must(t, s.PutPage(t.Context(), store.Page{
			Name: "full", Cursor: store.Cursor{Value: page[len(page)-1]}, Seen: true,
			IDs: page, Change: func(_ int, e *store.Entry) bool {
				e.Record.State, e.Record.ListedAt = "pending", store.At(start)
				e.Note(store.Mark{Class: store.ClassNew, At: store.At(start), Seen: "2026-11-01T08:00:00.000Z"})
				return true
			},
		}))
	}
	order := c.rand.Perm(n)
	var wg sync.WaitGroup
	for writer := range 64 {
		wg.Go(func() {
			for k := writer; k < n; k += 64 {
				if err := imports(t.Context(), s, records[order[k]]); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	must(t, s.EndListing(t.Context(), store.End{Name: "full", Seen: true, Done: store.At(start)}))
}

// imports takes a publication that is listed to the shop, and its report to the marketplace.
func imports(ctx context.Context, s opened, r store.Record) error {
	skus, keys := []string{}, []string{}
	for _, v := range r.Variants {
		skus, keys = append(skus, v.SKU), append(keys, store.SKUKey(v.SKU))
	}
	begun := s.Begin(ctx, r.ID, keys, func(e *store.Entry, _ map[string]string) error {
		e.Record.Claims, e.Record.Attempt = skus, store.Attempt{No: 1, Until: r.WrittenAt, Fields: 1}
		return nil
	})
	_, settled := s.Change(ctx, []string{r.ID}, func(e *store.Entry) bool {
		e.Record = r
		e.Mark = &store.Mark{Class: store.ClassRefresh, At: store.At(r.ReadAt.Time().Add(24 * time.Hour))}
		e.Owed = &store.Report{Status: "success", URL: r.URL, UpdatedAt: r.UpdatedAt, Since: r.ReadAt}
		e.Tell(store.Event{At: r.WrittenAt, What: "created"})
		return true
	})
	_, reported := s.Change(ctx, []string{r.ID}, func(e *store.Entry) bool {
		e.Owed = nil
		e.Tell(store.Event{At: r.ReportedAt, What: "reported success"})
		return true
	})
	return errors.Join(begun, settled, reported)
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
				for _, name := range store.Buckets {
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
