package bolt

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pubsync/pubsync/store"
)

var update = flag.Bool("update", false, "write the golden store anew: only before the schema has been released")

// The golden files are stores of schema 1, the first from before variants were a series. None is ever made anew once its form has been released: it stands
// for the files that users have.
const (
	goldenBefore = "testdata/v1.db.gz"
	goldenFile   = "testdata/v1-series.db.gz"
)

var goldenRecords = []store.Record{
	{
		ID: "pub\x00\xff/1", State: "partial", Title: "Terracotta <planter> — blauw & groot", Listing: "lst 1", Product: "prd 1",
		UpdatedAt: "2026-11-01T08:00:00.123Z", ReadAt: 1793520000123, ListedAt: 1793510000000,
		ShopID: "10017", URL: "https://shop.example.com/p/10017", ShopState: []byte{0, 1, 2, 0xff}, OnSale: true, Hashes: bytes.Repeat([]byte{7, 0}, 32),
		HashRule: 1, Attempted: 0x21, Open: true, Kept: 3, Reset: 4,
		Variants: []store.Variant{
			{
				ID: "v1", ShopID: "90001", SKU: "TERRA-S", Title: "S / Blauw", Price: "19.95", Cost: "10.00", MSRP: "24.95", Quantity: 12, Backorders: true,
			},
			{ID: "v2", SKU: "TERRA-L", Title: "L", Price: "007", Cost: "-0.05", Quantity: -3, Refused: "the shop knows no size L", Unpriced: true},
		},
		WrittenAt: 1793520000999,
		Missing:   []store.Picture{{URL: "https://images.example.com/1.jpg", Reason: "503", Later: true}, {URL: "https://images.example.com/2.jpg", Reason: "no image"}},
		LateSince: 1793519000000, LateAt: 1793521000000, Language: "nl", UntitledSince: 1793518000000,
		Problem: store.Problem{
			Kind: "transient", Message: "no answer", Wide: true, Gone: true, Hidden: true, Overdue: true, Content: []byte("hash"), Attempts: 3, Since: 1793500000000,
			Last: 1793520000000,
		},
		Holds:    []store.Hold{{Kind: "price", Variant: "v1", Old: "19.95", New: "59.95", Reason: "moves by 200 %", Since: 1793520000001}},
		Approved: []store.Hold{{Kind: "removal"}},
		History:  []store.Event{{At: 1793510000000, What: "created"}, {At: 1793520000000, What: "updated price, stock"}},
		Removal:  store.Removal{Reason: "absent", Go: true, At: 1793520000002, Done: true, Begun: true},
		Reported: "success", ReportedURL: "https://shop.example.com/old", ReportedAt: 1793515000000, ReportError: "unknown",
		Claims: []store.Claim{{Variant: "v2", SKU: "TERRA-XL"}},
	},
	{
		ID: "pub 2", State: "live", Title: "2", UpdatedAt: "2026-11-01T08:00:00Z", URL: "https://shop.example.com/p/2", Reported: "success",
		ReportedURL: "https://shop.example.com/p/2", OnSale: true, Product: "prd 1",
	},
	{ID: "pub 3", State: "pending"},
}

var (
	goldenMark = store.Mark{
		ID: "pub\x00\xff/1", Class: store.ClassSweep, At: 1793520000000, Cause: store.CauseSeen | store.CauseRetry, Seen: "2026-11-01T09:00:00Z", SeenAt: 1793519999000, Gen: 4,
	}
	goldenReport = store.Report{ID: "pub 3", Seq: 3, Status: "failed", URL: "", UpdatedAt: "2026-11-01T07:00:00+01:00", Since: 1793520000000}
	goldenCursor = store.Cursor{Value: "b3BhcXVl", At: 1793520000000, Started: 1793510000000, Listed: 250, Read: true}
)

// writeGolden makes the store with nothing but the methods that everybody uses.
func writeGolden(t *testing.T) {
	s := newStore(t)
	_, err := s.Begin(store.Attempt{ID: goldenRecords[0].ID, Fields: 1, Order: []string{"v1", "v2"}, SKUs: map[string]string{"v1": "TERRA-S", "v2": "TERRA-L"}})
	must(t, err)
	_, err = s.Begin(store.Attempt{ID: goldenRecords[0].ID, Fields: 1, Order: []string{"v2"}, SKUs: map[string]string{"v2": "TERRA-XL"}})
	must(t, err)
	for _, r := range goldenRecords {
		settle(t, s, store.Settlement{Record: r, Removed: r.Removal.Done, Report: &store.Report{Status: "success"}, Cancel: r.ID == "pub 2"})
	}
	r := goldenReport
	settle(t, s, store.Settlement{Record: goldenRecords[2], Report: &r})
	must(t, s.Mark(store.Mark{ID: "pub 2", Class: store.ClassRefresh, Cause: store.CauseRefresh, At: 1793600000000}, store.Mark{ID: "not known yet", Class: store.ClassHook, At: 1}))
	m := goldenMark
	m.Cause = store.CauseSeen
	must(t, s.Mark(m))
	must(t, s.Mark(store.Mark{ID: m.ID, Class: store.ClassFull, At: m.At + 5, Cause: store.CauseRetry}))
	must(t, s.PutPage(store.Page{
		Name: "full", Cursor: goldenCursor, Seen: true, Changes: store.Each([]string{"pub 2"}, func(int, bool, *store.Report, *store.Settlement) bool { return false }),
	}))
	must(t, store.ClaimAccount(s, "acme"))
	must(t, s.SetMeta("mapped", "2026-11-01T08:00:00Z"))
	must(t, s.Close())

	data, err := os.ReadFile(s.path)
	must(t, err)
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	must(t, err)
	_, err = z.Write(data)
	must(t, err)
	must(t, z.Close())
	must(t, os.MkdirAll(filepath.Dir(goldenFile), 0o755))
	must(t, os.WriteFile(goldenFile, packed.Bytes(), 0o644)) //nolint:gosec // test data, for everybody
}

// A store of schema 1 opens for ever, and says what it said when it was written.
func TestGoldenStore(t *testing.T) {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		t.Skip("bbolt's files are in the byte order of the machine that made them; this one was made on a little-endian one")
	}
	if *update {
		writeGolden(t)
	}
	for _, file := range []string{goldenBefore, goldenFile} {
		t.Run(filepath.Base(file), func(t *testing.T) { openGolden(t, file) })
	}
}

func openGolden(t *testing.T, file string) {
	f, err := os.Open(file)
	must(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	must(t, err)
	data, err := io.ReadAll(z)
	must(t, err)
	path := filepath.Join(t.TempDir(), "v1.db")
	must(t, os.WriteFile(path, data, 0o600))
	for name, open := range map[string]func(string) (*Store, error){"reader": OpenView, "writer": Open} {
		t.Run(name, func(t *testing.T) {
			s, err := open(path)
			must(t, err)
			defer func() { must(t, s.Close()) }()
			readGolden(t, s)
		})
	}
	s := reopen(t, path)
	if r := settle(t, s, store.Settlement{Record: goldenRecords[2], Cancel: true}); r.ID != "pub 3" {
		t.Errorf("written %+v", r)
	}
	must(t, s.Close())
	must(t, reopen(t, path).Close())
}

func readGolden(t *testing.T, s *Store) {
	want := slices.Clone(goldenRecords)
	slices.SortFunc(want, func(a, b store.Record) int { return bytes.Compare([]byte(a.ID), []byte(b.ID)) })
	var got []store.Record
	for r, err := range store.Records(s, store.Query{}) {
		must(t, err)
		got = append(got, r)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[store.State]int{"partial": 1, "live": 1, "pending": 1}, countsOf(s)); diff != "" {
		t.Error(diff)
	}
	m, ok, err := markOf(s, goldenMark.ID)
	if !ok || err != nil || m != goldenMark {
		t.Errorf("mark %+v, %t, %v", m, ok, err)
	}
	ids, err := s.dueIDs(time.UnixMilli(1793700000000))
	if err != nil || !slices.Equal(ids, []string{"not known yet", goldenMark.ID, "pub 2"}) {
		t.Errorf("due %q, %v", ids, err)
	}
	reports, err := s.Outbox("", 10)
	must(t, err)
	if len(reports) != 2 || reports[0].ID != goldenRecords[0].ID || reports[1] != goldenReport {
		t.Errorf("owed %+v", reports)
	}
	c, ok, err := s.CursorOf("full")
	if !ok || err != nil || c != goldenCursor {
		t.Errorf("cursor %+v, %t, %v", c, ok, err)
	}
	unseen, err := unseen(s)
	if err != nil || !slices.Equal(unseen, []string{goldenMark.ID, "pub 3"}) {
		t.Errorf("unseen %q, %v", unseen, err)
	}
	ids, err = s.Resolve(nil, []string{"prd 1"}, nil)
	if err != nil || len(ids) != 2 {
		t.Errorf("resolved %q, %v", ids, err)
	}
	ids, err = s.Resolve(nil, nil, []string{"lst 1"})
	if err != nil || !slices.Equal(ids, []string{goldenMark.ID}) {
		t.Errorf("resolved %q, %v", ids, err)
	}
	for sku, free := range map[string]bool{"terra-s": false, "Terra-L": false, "TERRA-XL": false, "TERRA-M": true} {
		got, err := s.PreviewSKUs("pub 9", []string{"v"}, map[string]string{"v": sku})
		if err != nil || (got["v"] == sku) != free {
			t.Errorf("%s: %v, %v", sku, got, err)
		}
	}
	if n, err := removedLen(s, time.UnixMilli(1793520000002)); n != 1 || err != nil {
		t.Errorf("%d removed, %v", n, err)
	}
	for name, want := range map[string]string{"schema": "1", "account": "acme", "mapped": "2026-11-01T08:00:00Z"} {
		if v, err := s.Meta(name); v != want || err != nil {
			t.Errorf("%s is %q, %v", name, v, err)
		}
	}
}
