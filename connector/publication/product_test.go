package publication

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A product names each choice of its variants once, in their order.
func TestChoices(t *testing.T) {
	d := newDesk(t)
	w := d.set.Decide(Input{Read: lamp(), Now: d.now})
	if got := w.Product.Options; len(w.Product.Variants) != 2 || !slices.Equal(got, []string{"Color", "Size"}) {
		t.Errorf("got %q of %d variants, want Color and Size of two", got, len(w.Product.Variants))
	}
}

// A write names the groups that the supplier changed, and no other.
func TestGroupsThatChange(t *testing.T) {
	variant := func(change func(*marketplace.Variant)) func(*marketplace.Listing) {
		return func(l *marketplace.Listing) { change(&l.Variants[0]) }
	}
	for name, tt := range map[string]struct {
		change func(*marketplace.Listing)
		want   shopadapter.Fields
	}{
		"nothing": {func(*marketplace.Listing) {}, shopadapter.NoFields},
		"a title": {func(l *marketplace.Listing) {
			en := l.Translations["en"]
			en.Title = "Lamp"
			l.Translations["en"] = en
		}, shopadapter.FieldTitle},
		"another language": {func(l *marketplace.Listing) {
			l.Translations = map[string]marketplace.Translation{"en": l.Translations["en"]}
		}, shopadapter.FieldTitle | shopadapter.FieldDescription},
		"the order of pictures": {func(l *marketplace.Listing) {
			l.Images = []string{l.Images[1], l.Images[0]}
		}, shopadapter.FieldImages},
		"pictures without an address": {func(l *marketplace.Listing) {
			l.Images = append(l.Images, "/3.jpg", l.Images[0])
		}, shopadapter.NoFields},
		"a category":       {func(l *marketplace.Listing) { l.Category.Name = "Lights" }, shopadapter.FieldCategory},
		"returns":          {func(l *marketplace.Listing) { l.Returns = "false" }, shopadapter.FieldShipping},
		"an EAN":           {variant(func(v *marketplace.Variant) { v.EAN = "8" }), shopadapter.FieldVariants},
		"signs in a title": {variant(func(v *marketplace.Variant) { v.Title = " Red /\u200b Small" }), shopadapter.NoFields},
		"an option": {variant(func(v *marketplace.Variant) {
			v.Options = []marketplace.Option{{Name: "Color", Value: "Blue"}}
		}), shopadapter.FieldVariants},
		"a price":    {variant(func(v *marketplace.Variant) { v.MSRP = "20.95" }), shopadapter.FieldPrice},
		"a cost":     {variant(func(v *marketplace.Variant) { v.Cost = "11.00" }), shopadapter.FieldPrice},
		"a stock":    {variant(func(v *marketplace.Variant) { v.Quantity = units(3) }), shopadapter.FieldStock},
		"backorders": {variant(func(v *marketplace.Variant) { v.Policy = "continue" }), shopadapter.FieldStock},
		"a variant more": {func(l *marketplace.Listing) {
			l.Variants = append(l.Variants, lamp().Listing.Variants[1])
		}, shopadapter.FieldVariants},
		"what could not be read": {func(l *marketplace.Listing) {
			l.Images, l.Unread = nil, []string{marketplace.UnreadImages}
		}, shopadapter.NoFields},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.run()
			pub := lamp()
			pub.Listing.Variants = pub.Listing.Variants[:1]
			tt.change(pub.Listing)
			d.pub = pub
			if got := d.set.Decide(d.input(store.ClassSweep)).Changed; got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// A SKU that is another's gets a suffix of its own, and keeps it.
func TestSKUs(t *testing.T) {
	for _, tt := range []struct{ name, held, wants, owners, got string }{
		{"free", "", "v=A w=B x=", "", "A B "},
		{"its own again", "v=A w=B", "v=A w=B", "a=p", "A B"},
		{"another's, in other letters", "", "v=A", "a=other", "A-*"},
		{"two of one product", "", "v=A w=a", "", "A a-*"},
		{"a variant in place of another", "v=A", "w=A", "a=p", "A"},
		{"swapped", "v=A w=B", "v=B w=A", "a=p b=p", "B A"},
		{"handed on", "v=A w=B", "v=B w=C", "a=p b=p", "B C"},
		{"given up", "v=A w=B", "v= w=A", "a=p b=p", " A"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, owners, p := store.Record{ID: "p"}, map[string]string{}, shopadapter.Product{}
			for pair := range strings.FieldsSeq(tt.held) {
				id, sku, _ := strings.Cut(pair, "=")
				r.Variants = append(r.Variants, store.Variant{ID: id, SKU: sku})
			}
			for pair := range strings.FieldsSeq(tt.owners) {
				sku, owner, _ := strings.Cut(pair, "=")
				owners[sku] = owner
			}
			for pair := range strings.FieldsSeq(tt.wants) {
				id, sku, _ := strings.Cut(pair, "=")
				p.Variants = append(p.Variants, shopadapter.Variant{ID: id, SKU: sku})
			}
			label(&p, r, owners)
			var first, shown []string
			r.Variants = nil
			for _, v := range p.Variants {
				first = append(first, v.SKU)
				if base, suffix, cut := strings.Cut(v.SKU, "-"); cut && len(suffix) == 6 {
					v.SKU = base + "-*"
				}
				shown = append(shown, v.SKU)
				r.Variants = append(r.Variants, store.Variant{ID: v.ID, SKU: first[len(first)-1]})
			}
			if got := strings.Join(shown, " "); got != tt.got {
				t.Errorf("got %q, want %q", got, tt.got)
			}
			for i, pair := range strings.Fields(tt.wants) {
				_, p.Variants[i].SKU, _ = strings.Cut(pair, "=")
			}
			label(&p, r, owners)
			for i, v := range p.Variants {
				if v.SKU != first[i] {
					t.Errorf("again: got %q, want %q", v.SKU, first[i])
				}
			}
		})
	}
}

// An entry that a rule keeps out says which, with the figure.
func TestSkips(t *testing.T) {
	margin := func(n int64) Skip { return Skip{MarginBelow: new(decimal.NewFromInt(n))} }
	category := func(path CategoryPath) Skip { return Skip{Categories: []CategoryPath{"TOYS", path}} }
	nl := PriceRule{Country: "NL"}
	one := Row{ID: "v1", Supply: store.Supply{Cost: "10", Quantity: 5}, quote: Quote{Price: decimal.NewFromInt(20)}}
	free, endless := one, one
	free.Supply.Cost, endless.Supply.Backorders = "", true
	for name, tt := range map[string]struct {
		skip  Skip
		price PriceRule
		row   Row
		days  string
		want  string // how the reason begins
	}{
		"a margin":              {margin(101), nl, one, "2", "the margin of v1 at 20.00 is 100 %, below 101 %"},
		"a margin that is kept": {margin(100), nl, one, "2", ""},
		"a margin with the costs of sending": {
			margin(34),
			PriceRule{Shipping: ShippingFloor, Country: "NL"},
			one, "2",
			"the margin of v1 at 20.00 is 33.3 %, below 34 %",
		},
		"a margin without VAT": {
			margin(100), PriceRule{VAT: decimal.NewFromInt(25)}, one, "2", "the margin of v1 at 20.00 is 60 %, below 100 %",
		},
		"an unknown cost":              {margin(1), nl, free, "2", "the cost of v1 is not known"},
		"a stock":                      {Skip{StockBelow: 6}, nl, one, "2", "the supplier has 5 of it, fewer than 6"},
		"a stock that is enough":       {Skip{StockBelow: 5}, nl, one, "2", ""},
		"a stock without end":          {Skip{StockBelow: 6}, nl, endless, "2", ""},
		"days to the country":          {Skip{DaysAbove: 3}, nl, one, "2-4", "sending it to NL takes 4 days, more than 3"},
		"days that are few":            {Skip{DaysAbove: 4}, nl, one, "2-4", ""},
		"days that nobody tells":       {Skip{DaysAbove: 4}, nl, one, "", ""},
		"days to any, with no country": {Skip{DaysAbove: 3}, PriceRule{}, one, "2", "sending it to US takes 14 days"},
		"a category":                   {category("GARDEN/POTS"), nl, one, "2", "it is in the category GARDEN/POTS"},
		"another category":             {category("HOME"), nl, one, "2", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := Settings{Rules: Rules{Skip: tt.skip, Price: tt.price, StockBuffer: 5}}
			terms := store.Terms{
				Branch:   []string{"GARDEN", "GARDEN_POTS", "GARDEN_POTS_RED"},
				Delivery: []store.Delivery{{Group: "NL", Costs: "5.00", Days: tt.days}, {Group: "US", Days: "14"}},
			}
			if got := s.skips([]Row{tt.row}, terms); !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// What is declined stays as it was while the same change would be made.
func TestDecline(t *testing.T) {
	held := func(t *testing.T, msrp string) *desk {
		d := newDesk(t)
		d.pub.Listing.Variants[0].Cost = "9"
		d.run()
		d.supply(msrp, 12)
		d.run()
		return d
	}
	for _, tt := range []struct {
		name  string
		make  func(t *testing.T) *desk
		state store.State // once it is declined and looked at again
		price string      // of the variant in the record
	}{
		{"a price", func(t *testing.T) *desk { return held(t, "60.00") }, store.StateLive, "19.95"},
		{"a price below the cost of now", func(t *testing.T) *desk {
			d := held(t, "19.95")
			d.pub.Listing.Variants[0].Cost = "40"
			d.supply("60.00", 12)
			d.run()
			return d
		}, store.StateHeld, "19.95"},
		{"a first price", func(t *testing.T) *desk {
			d := newDesk(t)
			d.set.Brake.FirstPrice = Bounds{Least: decimal.New(5, -1), Most: decimal.NewFromInt(3)}
			d.set.Price.Add = decimal.NewFromInt(100)
			d.run()
			return d
		}, store.StateRejected, ""},
		{"another tool's listing", func(t *testing.T) *desk {
			d := newDesk(t)
			d.pub.Status = "success"
			d.run()
			return d
		}, store.StateRejected, ""},
		{"drift", func(t *testing.T) *desk {
			d := newDesk(t)
			d.run()
			o := Shown{}
			o.OnSale, o.Images = true, -1
			o.Variants = []shopadapter.ListedVariant{{ID: "v1", Price: "15.00", Quantity: 12, OnSale: true}}
			d.now = d.now.Add(time.Minute)
			d.set.Observe(&d.e, &o, store.At(d.now), Group{Held: true, Differing: 20, Products: 30}, d.now)
			return d
		}, store.StateLive, "15.00"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := tt.make(t)
			if d.e.Record.State != store.StateHeld {
				t.Fatalf("got %s, want held", d.e.Record.State)
			}
			if !Decline(&d.e, Choice{}, store.ClassAsked, "Ann", d.now) {
				t.Fatal("nothing was declined")
			}
			d.now = d.now.Add(time.Minute)
			d.run()
			r := d.e.Record
			v, _ := r.Variant("v1")
			if r.State != tt.state || v.Written.Price != tt.price {
				t.Errorf("got %s at %q, want %s at %q: %s", r.State, v.Written.Price, tt.state, tt.price, r.Problem.Message)
			}
		})
	}
}

// The status that the marketplace should hold follows from the record alone.
func TestWanted(t *testing.T) {
	rejected := store.Problem{Kind: store.ProblemRejected}
	gone, empty := store.Removal{Reason: store.RemovalAbsent}, store.Removal{Reason: store.RemovalNoListing, Done: true}
	other := store.Hold{Kind: store.HoldForeign, Verdict: store.Declined}
	for name, tt := range map[string]struct {
		r    store.Record
		want store.Status
	}{
		"on sale":                             {store.Record{Sale: store.OnSale}, store.StatusSuccess},
		"rejected, an earlier one on sale":    {store.Record{Sale: store.OnSale, Problem: rejected}, store.StatusSuccess},
		"rejected":                            {store.Record{Problem: rejected}, store.StatusFailed},
		"rejected, and perhaps on sale":       {store.Record{Problem: rejected, Attempt: store.Attempt{Lost: true}}, ""},
		"deleted by hand":                     {store.Record{Problem: store.Problem{Gone: true}}, store.StatusFailed},
		"taken out of sale by hand":           {store.Record{Problem: store.Problem{Hidden: true}}, store.StatusFailed},
		"waiting for too long":                {store.Record{Problem: store.Problem{Overdue: true}}, store.StatusFailed},
		"waiting":                             {store.Record{Problem: store.Problem{Kind: store.ProblemTransient}}, ""},
		"a draft":                             {store.Record{Sale: store.Draft}, ""},
		"gone from the list":                  {store.Record{Sale: store.OnSale, Removal: gone}, ""},
		"on the list, with nothing to sell":   {store.Record{Removal: empty}, store.StatusFailed},
		"left to the tool that made it, then": {store.Record{Holds: []store.Hold{other}}, ""},
	} {
		if got, _ := wanted(tt.r); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

// A refused report is made again after a wait that grows to an hour, an unanswered one after its backoff, and each at
// once after a restart.
func TestReportIsMadeAgain(t *testing.T) {
	now := time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		tries   int
		refused string
		woken   time.Time
		tried   time.Time
		want    time.Time
	}{
		{1, "no", now.Add(-time.Hour), now, now.Add(2 * time.Second)},
		{4, "no", now.Add(-time.Hour), now, now.Add(16 * time.Second)},
		{99, "no", now.Add(-time.Hour), now, now.Add(time.Hour)},
		{4, "no", now.Add(time.Second), now, time.Time{}},
		{4, "no", now.Add(-time.Hour), now.Add(time.Minute), time.Time{}},
		{99, "", now.Add(-time.Hour), now, now.Add(time.Minute)},
	} {
		o := store.Report{Tries: tt.tries, TriedAt: store.At(tt.tried), Refused: tt.refused, Lost: tt.refused == ""}
		if got := RemadeAt(o, time.Minute, tt.woken, now); !got.Equal(tt.want) {
			t.Errorf("%d tries, refused %q: got %v, want %v", tt.tries, tt.refused, got, tt.want)
		}
	}
}
