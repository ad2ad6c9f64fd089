package catalog

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// before is a record as a release without brand and details wrote it.
func before(t *testing.T, c *catalog, p shopadapter.Product) {
	t.Helper()
	putRef(t, c, shopadapter.Ref{Publication: p.ID}, p, shopadapter.AllFields)
	edit(t, c, string(p.ID), func(r map[string]any) {
		delete(r["pubsync"].(map[string]any), "details")
		delete(r["pubsync"].(map[string]any), "units")
		delete(r["pubsync"].(map[string]any), "brand")
	})
}

// TestARecordOfAnEarlierRelease has its empty fields filled. What the merchant typed there stays,
// and the EAN follows as it did.
func TestARecordOfAnEarlierRelease(t *testing.T) {
	c := newShop(t, t.TempDir())
	before(t, c, bench("a"))
	edit(t, c, "a", func(r map[string]any) {
		r["variants"].([]any)[0].(map[string]any)["weight"] = "40"
		r["variants"].([]any)[0].(map[string]any)["volume"] = "9"
	})
	p := laws.WithDetails(bench("a"), 1)
	p.Variants[0].Volume = ""
	listing := putRef(t, c, shopadapter.Ref{Publication: "a"}, p, shopadapter.AllFields)
	if listing.Kept != shopadapter.FieldDetails {
		t.Errorf("kept: got %s, want details", listing.Kept)
	}
	r := readRecord(t, c, "a")
	for name, is := range map[string][2]string{
		"brand":                    {r.Brand, p.Brand},
		"weight that was typed":    {r.Variants[0].Weight, "40"},
		"volume that was typed":    {r.Variants[0].Volume, "9"},
		"weight that was empty":    {r.Variants[1].Weight, p.Variants[1].Weight},
		"length of the typed one":  {r.Variants[0].Length, p.Variants[0].Length},
		"EAN":                      {r.Variants[0].EAN, p.Variants[0].EAN},
		"unit of weight":           {r.Stamp.Units.Weight, "kg"},
		"materials, a list of two": {strings.Join(r.Variants[1].Materials, " "), "STEEL LINEN_1"},
	} {
		if is[0] != is[1] {
			t.Errorf("%s: got %q, want %q", name, is[0], is[1])
		}
	}
	for o, err := range c.List(t.Context(), shopadapter.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		if o.Edited != shopadapter.FieldDetails {
			t.Errorf("observed as edited: got %s, want details", o.Edited)
		}
	}
}

// TestABranchIsNoEdit reads a record whose category stands in a branch: the record holds path and
// name, as it did before the protocol had the branch.
func TestABranchIsNoEdit(t *testing.T) {
	c := newShop(t, t.TempDir())
	p := bench("a")
	p.Category = shopadapter.Category{
		Path: "A_B", Name: "B", Branch: []shopadapter.Level{{Path: "A", Name: "One"}, {Path: "A_B", Name: "Two"}},
	}
	put(t, c, p)
	mustLack(t, "category", strings.Split(readFile(t, c, recordPath(fileName("a"))), `"pubsync"`)[0], `"branch"`)
	p.Category = shopadapter.Category{Path: "C", Name: "C"}
	listing := putRef(t, c, shopadapter.Ref{Publication: "a"}, p, shopadapter.FieldCategory)
	if listing.Kept != shopadapter.NoFields {
		t.Errorf("kept: got %s, want none", listing.Kept)
	}
	if got := readRecord(t, c, "a").Category.Path; got != "C" {
		t.Errorf("category: got %q, want C", got)
	}
}

func TestFrom(t *testing.T) {
	p := bench("a")
	for i, day := range []string{"2026-12-24", "2026-12-01", "2027-01-05"} {
		p.Variants[i].AvailableAt, p.Variants[i].Later = day, true
	}
	r, _ := merge(nil, p, shopadapter.AllFields, 0, testTime)
	one := shopadapter.Variant{ID: "v1", Details: shopadapter.Details{AvailableAt: "soon"}}
	now := shopadapter.Variant{ID: "v9", Details: shopadapter.Details{AvailableAt: "2026-12-01"}}
	for _, tt := range []struct {
		name     string
		variants []shopadapter.Variant
		want     string
	}{
		{"the first day of several", r.Variants, "Available from 1 December 2026"},
		{"one can be had now", append(r.Variants[:1:1], now), ""},
		{"a day that is none", []shopadapter.Variant{one}, "Available from soon"},
		{"no variant", nil, ""},
	} {
		if got := r.from(tt.variants); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
