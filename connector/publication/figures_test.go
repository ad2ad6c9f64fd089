package publication

import (
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
	"github.com/shopspring/decimal"
)

// figuredNow is the time of these tests.
var figuredNow = time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)

// onSaleRecord is of a publication that is settled in every respect, with two variants on sale and
// one that has no price.
func onSaleRecord() store.Record {
	return store.Record{
		ID: "p", State: store.StateLive, Title: "Lamp", UpdatedAt: "2026-11-22T07:00:00Z",
		ReadAt: store.At(figuredNow.Add(-time.Hour)), ShopID: "7", OnSale: true,
		Hashes: make(
			[]byte, len(fingerprint{}),
		), HashRule: hashRule, WrittenAt: store.At(figuredNow.Add(-time.Hour)), Reported: store.StatusSuccess,
		Variants: []store.Variant{
			{
				ID:       "red",
				ShopID:   "71",
				SKU:      "R",
				Title:    "Red",
				Price:    "20.00",
				Cost:     "10.00",
				MSRP:     "20.00",
				Quantity: 5,
			},
			{
				ID:       "blue",
				ShopID:   "72",
				SKU:      "B",
				Title:    "Blue",
				Price:    "20.00",
				Cost:     "10.00",
				MSRP:     "20.00",
				Quantity: 5,
			},
			{ID: "dear", Title: "Dear", Refused: "it has no msrp to make a price from", Unpriced: true},
		},
	}
}

func figuresDecider() *Decider {
	return NewDecider(Settings{
		Rules: Rules{
			Languages: []string{"en"},
			Price:     PriceRule{Base: BaseMSRP},
		}, Brake: Brake{PricePercent: decimal.NewFromInt(50)},
		Lists: func() bool { return false }, Backoff: func(int) time.Duration { return time.Second },
		RefreshAfter: 24 * time.Hour, FailAfter: time.Hour,
	})
}

func quantityOf(n int) *int { return &n }

// seenFigures is the record's variants as the marketplace shows them.
func seenFigures() marketplace.Figures {
	return marketplace.Figures{UpdatedAt: "2026-11-22T07:30:00Z", Whole: true, Variants: []marketplace.Variant{
		{ID: "red", Cost: "10.00", MSRP: "20.00", Quantity: quantityOf(5), Policy: "DENY"},
		{ID: "blue", Cost: "10.00", MSRP: "20.00", Quantity: quantityOf(5), Policy: "DENY"},
		{ID: "dear", Quantity: quantityOf(1)},
	}}
}

func seenMark(c store.Cause) store.Mark {
	return store.Mark{ID: "p", Class: store.ClassSweep, Cause: c}
}

// Whatever is not settled, and whatever but a change upstream asks for, is read in full.
func TestByFigures(t *testing.T) {
	t.Parallel()
	for _, c := range []store.Cause{
		store.CauseSeen, store.CauseVariant, store.CauseSigned, store.CauseUnsigned, store.CauseSeen | store.CauseRetry,
		store.CauseSeen | store.CauseRemainder,
	} {
		if !ByFigures(onSaleRecord(), seenMark(c), figuredNow) {
			t.Errorf("cause %v: got a reading in full, want one of figures", WhyNext(c))
		}
	}
	for _, c := range []store.Cause{
		0, store.CauseRetry, store.CauseRemainder, store.CauseRefresh, store.CauseSeen | store.CauseRead,
		store.CauseSeen | store.CauseAsked, store.CauseSeen | store.CausePictures,
	} {
		if ByFigures(onSaleRecord(), seenMark(c), figuredNow) {
			t.Errorf("cause %v: got a reading of figures, want one in full", WhyNext(c))
		}
	}
	for name, change := range map[string]func(*store.Record){
		"not on sale":         func(r *store.Record) { r.OnSale = false },
		"no listing":          func(r *store.Record) { r.ShopID = "" },
		"never written":       func(r *store.Record) { r.WrittenAt = 0 },
		"unknown hashes":      func(r *store.Record) { r.HashRule = 0 },
		"leaving":             func(r *store.Record) { r.Removal.Reason = store.RemovalAbsent },
		"untitled":            func(r *store.Record) { r.UntitledSince = 1 },
		"late pictures":       func(r *store.Record) { r.LateSince = 1 },
		"a problem":           func(r *store.Record) { r.Problem.Kind = store.ProblemTransient },
		"a hold":              func(r *store.Record) { r.Holds = []store.Hold{{Kind: store.HoldPrice}} },
		"an approval":         func(r *store.Record) { r.Approved = []store.Hold{{Kind: store.HoldPrice}} },
		"an open attempt":     func(r *store.Record) { r.Open = true },
		"a doubtful write":    func(r *store.Record) { r.Attempted = shopadapter.FieldPrice },
		"a reset":             func(r *store.Record) { r.Reset = shopadapter.FieldTitle },
		"a refused variant":   func(r *store.Record) { r.Variants[0].Refused = "too heavy" },
		"nothing with price":  func(r *store.Record) { r.Variants = r.Variants[2:] },
		"an old remainder":    func(r *store.Record) { r.RemainderSince = store.At(figuredNow.Add(-RemainderMost)) },
		"a remainder to come": func(r *store.Record) { r.RemainderSince = store.At(figuredNow.Add(time.Minute)) },
	} {
		r := onSaleRecord()
		change(&r)
		if ByFigures(r, seenMark(store.CauseSeen), figuredNow) {
			t.Errorf("%s: got a reading of figures, want one in full", name)
		}
	}
}

// The figures lead to what a full reading of them would, and the remainder is owed since the first
// time.
func TestDecideFigures(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		record func(*store.Record)
		seen   func(*marketplace.Figures)
		cause  store.Cause
		whole  bool
		step   Step
		groups shopadapter.Fields
		held   int
		since  time.Time
	}{
		"nothing differs": {step: Settle, since: figuredNow},
		"stock": {
			seen: func(f *marketplace.Figures) { f.Variants[0].Quantity = quantityOf(2) }, step: Restock,
			groups: shopadapter.FieldStock, since: figuredNow,
		},
		"price": {
			seen: func(f *marketplace.Figures) { f.Variants[1].MSRP = "21.00" }, step: Restock,
			groups: shopadapter.FieldPrice, since: figuredNow,
		},
		"cost alone": {
			seen: func(f *marketplace.Figures) { f.Variants[1].Cost = "11.00" }, step: Restock,
			groups: shopadapter.FieldPrice, since: figuredNow,
		},
		"policy": {
			seen: func(f *marketplace.Figures) { f.Variants[1].Policy = "CONTINUE" }, step: Restock,
			groups: shopadapter.FieldStock, since: figuredNow,
		},
		"a price too far": {
			seen: func(f *marketplace.Figures) { f.Variants[1].MSRP = "99.00" }, step: Settle, held: 1,
			since: figuredNow,
		},
		"a variant came": {seen: func(f *marketplace.Figures) {
			f.Variants = append(f.Variants, marketplace.Variant{ID: "new", MSRP: "1.00"})
		}, whole: true},
		"a variant went":  {seen: func(f *marketplace.Figures) { f.Variants = f.Variants[:2] }, whole: true},
		"one for another": {seen: func(f *marketplace.Figures) { f.Variants[1].ID = "new" }, whole: true},
		"one twice":       {seen: func(f *marketplace.Figures) { f.Variants[1].ID = "red" }, whole: true},
		"a price came":    {seen: func(f *marketplace.Figures) { f.Variants[2].MSRP = "5.00" }, whole: true},
		"a price went":    {seen: func(f *marketplace.Figures) { f.Variants[0].MSRP = "" }, whole: true},
		"not all of it":   {seen: func(f *marketplace.Figures) { f.Whole = false }, whole: true},
		"owed before": {
			record: func(r *store.Record) { r.RemainderSince = store.At(figuredNow.Add(-time.Minute)) },
			step:   Settle, since: figuredNow.Add(-time.Minute),
		},
		"a variant alone": {
			seen:  func(f *marketplace.Figures) { f.UpdatedAt = "2026-11-22T07:00:00Z" },
			cause: store.CauseVariant, step: Settle, since: figuredNow,
		},
		"a webhook within second": {
			seen:  func(f *marketplace.Figures) { f.UpdatedAt = "2026-11-22T07:00:00Z" },
			cause: store.CauseSigned, step: Settle, since: figuredNow,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, seen := onSaleRecord(), seenFigures()
			if tt.record != nil {
				tt.record(&r)
			}
			if tt.seen != nil {
				tt.seen(&seen)
			}
			if tt.cause == 0 {
				tt.cause = store.CauseSeen
			}
			d, ok := figuresDecider().DecideFigures(r, seenMark(tt.cause), seen, figuredNow)
			if ok == tt.whole {
				t.Fatalf("got read in full %t, want %t", !ok, tt.whole)
			}
			if tt.whole {
				return
			}
			if d.Step != tt.step || d.Changed != tt.groups && d.Step == Restock || len(d.rec.Holds) != tt.held ||
				d.rec.RemainderSince != store.At(tt.since) {
				t.Errorf(
					"step %d, groups %s, %d holds, remainder owed since %v", d.Step, d.Changed, len(d.rec.Holds),
					d.rec.RemainderSince.Time(),
				)
			}
			if d.rec.UpdatedAt != r.UpdatedAt || d.rec.ReadAt != r.ReadAt {
				t.Error("got the content counted as read, want not")
			}
			if d.Step == Restock {
				d = d.Attempted(nil)
				d = d.Concluded(
					Outcome{
						Listing: shopadapter.Listing{ID: "7", Variants: shopadapter.Made(map[string]string{"red": "71", "blue": "72"})},
					},
					figuredNow,
				)
			}
			s := d.by.next(d.rec, d.end, figuredNow)
			if owed := s.Next != nil && s.Next.Cause == store.CauseRemainder &&
				s.Next.Class == store.ClassFull; owed != !tt.since.IsZero() ||
				owed && s.Next.At != store.At(tt.since) {
				t.Errorf("got next %+v, want the remainder owed since %v", s.Next, tt.since)
			}
			if len(s.Record.Variants) != 3 || s.Record.Variants[0].SKU != "R" || s.Record.Variants[0].Title != "Red" ||
				!s.Record.Variants[2].Unpriced ||
				s.Record.Open ||
				s.Record.Attempted != 0 {
				t.Errorf("%+v", s.Record)
			}
		})
	}
}
