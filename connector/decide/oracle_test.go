package decide

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A life is one publication in the care of both rooms, which are told the same.
type life struct {
	t   *rapid.T
	now time.Time
	pub *marketplace.Publication
	log []string

	set   *Settings
	entry Entry

	before  publication.Settings
	decider *publication.Decider
	rec     store.Record
	mark    *store.Mark
	owed    *store.Report
	forgot  bool

	owners map[string]string
	seq    uint64
	calls  [2][]call // of the last look: the old room's and the new one's
	looked bool      // marks are compared after a look alone
	reset  bool      // the merchant has given back what was edited, and no look has followed
	why    string    // why the rooms may differ from here on
}

// A call is what a room asked of the shop.
type call struct {
	Do      string
	Changed string
	Ref     shopadapter.Ref
	Product shopadapter.Product
}

func number(s string) *decimal.Decimal {
	d := decimal.RequireFromString(s)
	return &d
}

// settings are those of both rooms, made of the same choices.
func settings(t *rapid.T) (*Settings, publication.Settings) {
	pick := func(label string, choices ...string) string { return rapid.SampledFrom(choices).Draw(t, label) }
	backoff := func(n int) time.Duration { return time.Duration(n) * time.Minute }
	s := &Settings{
		Currency: "EUR", Languages: []string{"en", "nl"}, Details: pick("details", "on", "off") == "on",
		Units: shopadapter.Units{Weight: "kg", Length: "cm"}, SKUPrefix: pick("prefix", "", "DS-"),
		StockBuffer: rapid.SampledFrom([]int{0, 2}).Draw(t, "buffer"),
		HideSoldOut: pick("sold out", "show", "show", "hide") == "hide",
		AsDraft:     pick("as", "live", "live", "live", "draft") == "draft",
		OnRemoved:   OnRemoved(pick("removed", "unpublish", "unpublish", "delete", "keep")),
		ReportDrift: pick("drift", "correct", "correct", "report") == "report",
		FailAfter:   24 * time.Hour, RefreshAfter: 24 * time.Hour, Backoff: backoff,
		Brake: Brake{
			PricePercent: decimal.NewFromInt(50), RemovedPercent: decimal.NewFromInt(20),
			FirstPrice: Bounds{Least: *number("0.5"), Most: *number("3")},
		},
		Price: PriceRule{Base: pick("base", BaseMSRP, BaseMSRP, BaseCost), VAT: decimal.NewFromInt(21)},
	}
	if s.Price.Base == BaseCost {
		s.Price.Markup = decimal.NewFromInt(80)
	}
	if pick("ending", "", "", ".95") != "" {
		s.Price.Ending = &Ending{Fraction: *number("0.95"), Step: decimal.NewFromInt(1)}
	}
	if keep := pick("keep", "", "", "", "price", "stock", "title,images"); keep != "" {
		s.Keep, _ = shopadapter.ParseFields(strings.Split(keep, ",")...)
	}
	if pick("skip", "", "", "", "stock") != "" {
		s.Skip.StockBelow = 4
	}
	old := publication.Settings{
		Rules: publication.Rules{
			Currency: s.Currency, Languages: s.Languages, SKUPrefix: s.SKUPrefix, Keep: s.Keep, StockBuffer: s.StockBuffer,
			Details: s.Details, Units: s.Units, Price: oldRule(s.Price), Skip: publication.Skip{StockBelow: s.Skip.StockBelow},
		},
		Brake: publication.Brake{
			PricePercent: s.Brake.PricePercent, RemovedPercent: s.Brake.RemovedPercent,
			FirstPrice: publication.Bounds{Least: s.Brake.FirstPrice.Least, Most: s.Brake.FirstPrice.Most},
		},
		OnRemoved: publication.OnRemoved(s.OnRemoved), OnDrift: publication.DriftCorrect,
		FailAfter: s.FailAfter, RefreshAfter: s.RefreshAfter, Backoff: backoff, Lists: func() bool { return true },
	}
	if s.ReportDrift {
		old.OnDrift = publication.DriftReport
	}
	if s.HideSoldOut {
		old.Rules.SoldOut = publication.SoldOutHide
	}
	if s.AsDraft {
		old.Rules.PublishAs = publication.PublishDraft
	}
	return s, old
}

// oldRule is a rule of prices as the old room has it.
func oldRule(r PriceRule) publication.PriceRule {
	old := publication.PriceRule{
		Base: r.Base, Markup: r.Markup, Add: r.Add, VAT: r.VAT, NetMSRP: r.NetMSRP, NoMSRP: r.NoMSRP,
		MinMargin: r.MinMargin, Shipping: publication.ShippingCosts(r.Shipping), Country: r.Country,
	}
	if e := r.Ending; e != nil {
		old.Ending, old.EndingMod = &e.Fraction, e.Step
	}
	for _, t := range r.Tiers {
		old.Tiers = append(old.Tiers, publication.Tier{From: t.From, To: t.To, Markup: t.Markup})
	}
	for _, c := range r.Categories {
		old.Categories = append(old.Categories, publication.CategoryMarkup{
			Path: publication.CategoryPath(c.Path), Markup: c.Markup, Added: c.Added,
		})
	}
	return old
}

func newLife(t *rapid.T) *life {
	l := &life{t: t, now: time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC), owners: map[string]string{}}
	l.set, l.before = settings(t)
	l.decider = publication.NewDecider(l.before)
	l.pub = lamp()
	if rapid.SampledFrom([]bool{false, false, true}).Draw(t, "taken") {
		l.owners[store.SKUKey(l.set.SKUPrefix+"LAMP-RS")] = "other"
	}
	l.entry.Record.ID, l.rec.ID = l.pub.ID, l.pub.ID
	return l
}

func (l *life) note(format string, args ...any) { l.log = append(l.log, fmt.Sprintf(format, args...)) }

// supply has the supplier change something.
func (l *life) supply() {
	what := rapid.SampledFrom([]string{
		"cost", "msrp", "msrp", "both", "stock", "stock", "policy", "title", "description", "images", "category",
		"new variant",
		"drop variant", "recreate", "no listing", "no variants", "listing", "status", "no msrp", "shipping", "language",
		"unread", "sku", "details",
	}).Draw(l.t, "supplier")
	l.note("supplier: %s", what)
	amounts := []string{"8.00", "10.00", "12.00", "14.00", "19.95", "24.95", "40.00", "70.00", "200.00"}
	amount := func(name string) string { return rapid.SampledFrom(amounts).Draw(l.t, name) }
	if l.pub.Listing == nil {
		l.pub.Listing = lamp().Listing
	}
	if len(l.pub.Listing.Variants) == 0 {
		l.pub.Listing.Variants = lamp().Listing.Variants
	}
	pub := *l.pub
	listing := *pub.Listing
	listing.Variants = slices.Clone(listing.Variants)
	listing.Translations = maps.Clone(listing.Translations)
	pub.Listing = &listing
	l.pub = &pub
	v := &listing.Variants[rapid.IntRange(0, len(listing.Variants)-1).Draw(l.t, "variant")]
	switch what {
	case "cost":
		v.Cost = amount("cost")
	case "msrp":
		v.MSRP = amount("msrp")
	case "both":
		v.Cost, v.MSRP = amount("cost"), amount("msrp")
	case "no msrp":
		v.MSRP = rapid.SampledFrom([]string{"", "nonsense", "0"}).Draw(l.t, "msrp")
	case "stock":
		n := rapid.SampledFrom([]int{0, 1, 3, 5, 8, 12, 30}).Draw(l.t, "stock")
		v.Quantity = &n
	case "policy":
		v.Policy = rapid.SampledFrom([]string{"DENY", "CONTINUE"}).Draw(l.t, "policy")
	case "title":
		title := rapid.SampledFrom([]string{"", "Lamp", "Lamp 2"}).Draw(l.t, "title")
		listing.Translations["en"] = marketplace.Translation{Title: title}
		delete(listing.Translations, "nl")
	case "description":
		listing.Translations["en"] = marketplace.Translation{Title: "Lamp", Description: "<p>Now [brighter].</p>"}
	case "images":
		listing.Images = []string{"https://img.example/3.jpg", "nonsense"}
	case "category":
		listing.Category = marketplace.Category{Path: "GARDEN_LAMPS", Name: "Lamps"}
	case "new variant":
		n := 4
		listing.Variants = append(listing.Variants, marketplace.Variant{
			ID: "v" + amount("id"), Title: "Green", SKU: "LAMP-G", Cost: "10.00", MSRP: amount("msrp"), Quantity: &n,
		})
	case "drop variant":
		if len(listing.Variants) > 1 {
			listing.Variants = listing.Variants[1:]
		}
	case "recreate":
		l.note("of %s", v.ID)
		v.ID += "x"
		v.MSRP = amount("msrp")
	case "no listing":
		pub.Listing = nil
	case "no variants":
		listing.Variants = nil
	case "listing":
		*l.pub = *lamp()
	case "status":
		pub.Status = rapid.SampledFrom([]string{"syncing", "success", "failed"}).Draw(l.t, "status")
	case "shipping":
		listing.Shipping = nil
	case "language":
		pub.Languages = rapid.SampledFrom([][]string{nil, {"en", "nl"}, {"nl"}}).Draw(l.t, "languages")
	case "unread":
		listing.Unread = rapid.SampledFrom([][]string{
			nil, {marketplace.UnreadImages}, {marketplace.UnreadShipping, marketplace.UnreadEAN}, {marketplace.UnreadCategory},
		}).Draw(l.t, "unread")
	case "sku":
		v.SKU = rapid.SampledFrom([]string{"", "LAMP-RS", "LAMP-BL", "OTHER"}).Draw(l.t, "sku")
	case "details":
		listing.Details, listing.Brand = true, rapid.SampledFrom([]string{"", "Lumen"}).Draw(l.t, "brand")
		listing.Size = marketplace.Details{Weight: rapid.SampledFrom([]string{"", "2.5"}).Draw(l.t, "weight")}
	}
	pub.UpdatedAt = l.now.Format(time.RFC3339)
}

// answer is how the shop answers what it is sent, the same for both rooms.
func (l *life) answer(
	kind string, id string, p shopadapter.Product, changed shopadapter.Fields, removal bool,
) (shopadapter.Listing, error) {
	good := shopadapter.Listing{ID: "42", URL: "https://shop.example/lamp", State: []byte("s")}
	for _, v := range p.Variants {
		good.Variants = append(good.Variants, shopadapter.ListedVariant{ID: v.ID, ShopID: "s" + v.ID})
	}
	if p.Draft && id == "" {
		good.Draft = true
	}
	switch kind {
	case "transient":
		return shopadapter.Listing{}, shopadapter.Retry("the shop is away")
	case "half":
		return shopadapter.Listing{ID: "42", State: []byte("half")}, shopadapter.Retry("the shop went away")
	case "blocked":
		return shopadapter.Listing{}, shopadapter.Block("the key may not write")
	case "wide":
		return shopadapter.Listing{}, shopadapter.Block("the key is refused").Everywhere()
	case "rejected":
		if !removal {
			return shopadapter.Listing{}, shopadapter.Reject("the title is too rude")
		}
	case "gone":
		if !removal {
			return shopadapter.Listing{}, shopadapter.ErrGone
		}
	case "hidden":
		if !removal {
			return shopadapter.Listing{}, shopadapter.ErrHidden
		}
	case "refuses one":
		if len(p.Variants) > 0 {
			good.Refused = map[string]string{p.Variants[0].ID: "no such colour"}
		}
	case "refuses all":
		good.Refused = map[string]string{}
		for _, v := range p.Variants {
			good.Refused[v.ID] = "no such colour"
		}
	case "kept":
		good.Kept = changed & shopadapter.FieldTitle
	case "late":
		if changed.Has(shopadapter.FieldImages) && len(p.Images) > 0 {
			good.Missing = []shopadapter.Picture{{URL: p.Images[0], Reason: "silent", Later: true}}
		}
	case "bad picture":
		if changed.Has(shopadapter.FieldImages) && len(p.Images) > 0 {
			good.Missing = []shopadapter.Picture{{URL: p.Images[0], Reason: "no picture"}}
		}
	case "moved":
		good.URL = "https://shop.example/lamp-2"
	}
	return good, nil
}

// look has both rooms look at what the marketplace has.
func (l *life) look(asked, gone bool) {
	kind := rapid.SampledFrom([]string{
		"good", "good", "good", "good", "good", "transient", "half", "blocked", "wide", "rejected", "gone", "hidden",
		"refuses one",
		"refuses all", "kept", "late", "bad picture", "moved",
	}).Draw(l.t, "shop")
	l.note("look: asked %v, gone %v, the shop is %s", asked, gone, kind)
	l.looked = true
	l.lookOld(kind, asked, gone)
	l.lookNew(kind, asked, gone)
	if len(l.calls[0]) == 2 { // the old room takes a refused version out of sale in the same look, the new one in the next
		l.lookNew(kind, false, gone)
	}
}

func (l *life) held() map[string]store.Owner {
	held := map[string]store.Owner{}
	for _, v := range l.rec.Variants {
		if v.SKU != "" {
			held[store.SKUKey(v.SKU)] = store.OwnerOf(l.rec.ID, v.ID)
		}
	}
	for sku, id := range l.owners {
		held[sku] = store.OwnerOf(id, "v")
	}
	return held
}

func (l *life) lookOld(kind string, asked, gone bool) {
	m := store.Mark{ID: l.rec.ID, Class: store.ClassSweep, Cause: store.CauseSeen, At: store.At(l.now)}
	if asked {
		m.Class, m.Cause = store.ClassAsked, store.CauseAsked
	}
	pub := l.pub
	if gone {
		pub = nil
	}
	l.runOld(l.decider.Decide(l.rec, m, publication.Seen{Publication: pub, At: l.now}), kind)
}

func (l *life) runOld(d publication.Decision, kind string) {
	now := l.now.Add(time.Second)
	for d.Step != publication.Settle {
		switch d.Step {
		case publication.Compare:
			order, skus := d.Wishes()
			d = d.Compared(publication.Facts{SKUs: publication.ClaimSKUs(l.rec.ID, order, skus).Choose(l.held())})
			continue
		case publication.Reread:
			l.t.Fatal("figures alone are always enough here")
		default:
		}
		order, skus := d.Wishes()
		if a, ok := d.Attempt(); ok {
			l.rec.Attempted |= a.Fields
			l.rec.Open = true
			a.Apply(&l.rec)
			if a.Choose != nil {
				skus = a.Choose(l.held())
			}
			d = d.Attempted(skus)
		}
		_ = order
		p := d.Sends()
		c := call{Ref: d.Ref(), Changed: d.Changed.String(), Product: p}
		out := publication.Outcome{}
		switch {
		case d.Step == publication.Unpublish && d.Removal == shopadapter.Delete:
			c = call{Do: "delete"}
			_, out.Err = l.answer(kind, "", p, 0, true)
		case d.Step == publication.Unpublish:
			c = call{Do: "offline"}
			_, out.Err = l.answer(kind, "", p, 0, true)
		default:
			if c.Do = "publish"; d.Step == publication.Restock {
				c.Do, c.Product = "figures", figuresOf(p)
			}
			out.Listing, out.Err = l.answer(kind, string(c.Ref.Listing), p, d.Changed, false)
		}
		l.calls[0] = append(l.calls[0], c)
		d = d.Concluded(out, now)
	}
	s := d.Settlement(now)
	cur := l.rec
	s.Merge(cur, l.owed, &s)
	l.takeOld(s)
}

func (l *life) takeOld(s store.Settlement) {
	if s.Forget {
		l.forgot = true
		return
	}
	l.rec, l.mark = s.Record, s.Next
	switch {
	case s.Cancel:
		l.owed = nil
	case s.Report != nil:
		l.seq++
		report := *s.Report
		report.Seq = l.seq
		l.owed = &report
	}
}

// figuresOf is what counts of a product that is sent for its figures.
func figuresOf(p shopadapter.Product) shopadapter.Product {
	out := shopadapter.Product{}
	for _, v := range p.Variants {
		out.Variants = append(out.Variants, shopadapter.Variant{
			ID: v.ID, SKU: v.SKU, Price: v.Price, Cost: v.Cost, MSRP: v.MSRP, Quantity: v.Quantity, Backorders: v.Backorders,
		})
	}
	return out
}

func (l *life) lookNew(kind string, asked, gone bool) {
	in := Input{Rec: l.entry.Record, Read: l.pub, Gone: gone, Owners: l.owners, Lists: true, Now: l.now}
	in.Mark.Class = ClassSweep
	if l.entry.Mark != nil {
		in.Mark.Tries, in.Mark.Gen = l.entry.Mark.Tries, l.entry.Mark.Gen
	}
	if asked {
		in.Mark.Class = ClassAsked
	}
	if gone {
		in.Read = nil
	}
	l.runNew(in, kind)
}

func (l *life) runNew(in Input, kind string) {
	now := l.now.Add(time.Second)
	l.entry.Known = true
	st := l.set.Decide(in)
	var attempt uint64
	var out Outcome
	if st.Calls() {
		var err error
		if attempt, err = l.set.Begun(&l.entry, st, l.owners, now.Add(time.Minute), l.now); err != nil {
			l.t.Fatal(err)
		}
		c := call{Ref: st.Ref, Changed: st.Changed.String(), Product: st.Product}
		switch st.Do {
		case Delete:
			c = call{Do: "delete"}
			_, out.Err = l.answer(kind, "", st.Product, 0, true)
		case Offline:
			c = call{Do: "offline"}
			_, out.Err = l.answer(kind, "", st.Product, 0, true)
		default:
			if c.Do = "publish"; st.Do == Figures {
				c.Do, c.Product = "figures", figuresOf(st.Product)
			}
			out.Listing, out.Err = l.answer(kind, string(st.Ref.Listing), st.Product, st.Changed, false)
		}
		l.calls[1] = append(l.calls[1], c)
	}
	l.set.Ended(&l.entry, attempt, st, out, now)
}

var errStop = errors.New("stop")

type variantFace struct {
	SKU, Price, Cost, MSRP  string
	Quantity, Sold          int
	Backorders, Unpriced    bool
	Refused                 string
	SeenPrice, SeenQuantity string
	Off, Gone               bool
	Supply                  store.Supply
}

// A face is what a person, the shop or the marketplace sees of a publication.
type face struct {
	State                 store.State
	Sale                  Sale
	ShopID, URL           string
	Problem               string
	Kind                  store.ProblemKind
	Gone, Hidden, Overdue bool
	Held, Declined        []string
	Removal               store.Removal
	Owed, Reported        string
	Variants              map[string]variantFace
	Kept                  string
	Missing               int
	Mark                  string
	Untitled              bool
	Title                 string
	Forgotten             bool
}

func (l *life) oldFace() face {
	r := l.rec
	// what is approved is held until the next look
	r.Holds = slices.DeleteFunc(slices.Clone(r.Holds), func(h store.Hold) bool {
		let := slices.ContainsFunc(r.Approved, func(a store.Hold) bool {
			return a.Kind == h.Kind && a.Variant == h.Variant && a.New == h.New
		})
		return let || h.Kind == store.HoldRemoval && r.Removal.Go
	})
	r.State = publication.StateOf(r)
	if l.forgot {
		return face{Forgotten: true}
	}
	f := face{
		State: r.State, ShopID: r.ShopID, URL: r.URL, Problem: r.Problem.Message, Kind: r.Problem.Kind,
		Gone: r.Problem.Gone, Hidden: r.Problem.Hidden, Overdue: r.Problem.Overdue, Removal: r.Removal,
		Kept: r.Kept.String(), Missing: len(r.Missing), Untitled: r.UntitledSince != 0, Title: r.Title,
		Reported: string(r.Reported) + " " + r.ReportedURL, Variants: map[string]variantFace{},
	}
	switch {
	case r.OnSale:
		f.Sale = OnSale
	case r.Draft:
		f.Sale = Draft
	case r.Unsellable != "":
		f.Sale = SoldOut
	}
	for _, h := range r.Holds {
		f.Held = append(f.Held, fmt.Sprint(h.Kind, " ", h.Variant, " ", h.Old, " ", h.New, " ", h.Below, ": ", h.Reason))
	}
	for _, h := range r.Declined {
		if h.Kind == store.HoldRemoval {
			h.New = ""
		}
		f.Declined = append(f.Declined, fmt.Sprint(h.Kind, " ", h.Variant, " ", h.New))
	}
	if l.owed != nil {
		f.Owed = string(l.owed.Status) + " " + l.owed.URL
	}
	sold := map[string]store.Drift{}
	for _, d := range r.Drift {
		sold[d.Variant] = d
	}
	for _, v := range r.Variants {
		d := sold[v.ID]
		f.Variants[v.ID] = variantFace{
			v.SKU, v.Price, v.Cost, v.MSRP, v.Quantity, d.Sold, v.Backorders, v.Unpriced, v.Refused, d.Price, d.Quantity, d.Off,
			d.Gone, v.Supplied,
		}
	}
	if l.mark != nil && l.looked {
		// the new room looks again when it has waited for FailAfter, in place of a loop of the engine's
		waits := (r.Problem.Kind == store.ProblemTransient || r.Problem.Kind == store.ProblemBlocked) && !r.Problem.Overdue
		if end := r.Problem.Since + store.Instant(l.set.FailAfter.Milliseconds()); waits && !r.OnSale && r.Unsellable == "" &&
			len(r.Holds) == 0 && r.Removal.Reason == "" && end > store.At(l.now.Add(time.Second)) {
			l.mark.At = min(l.mark.At, end)
		}
		f.Mark = l.mark.At.Time().Sub(l.now).Round(time.Minute).String()
	}
	return f.sorted()
}

func (l *life) newFace() face {
	r := l.entry.Record
	if l.entry.Forget {
		return face{Forgotten: true}
	}
	f := face{
		State: r.State, Sale: r.Sale, ShopID: r.ShopID, URL: r.URL, Problem: r.Problem.Message, Kind: r.Problem.Kind,
		Gone: r.Problem.Gone, Hidden: r.Problem.Hidden, Overdue: r.Problem.Overdue, Removal: r.Removal,
		Kept: r.Kept.String(), Missing: len(r.Pictures.Missing), Untitled: r.UntitledSince != 0, Title: r.Title,
		Reported: string(r.Reported) + " " + r.ReportedURL, Variants: map[string]variantFace{},
	}
	for _, h := range r.Holds {
		if h.Kind == store.HoldRemoval {
			h.New = "" // the old room writes the reason of a removal into what is declined alone
		}
		if h.Stands() {
			f.Held = append(f.Held, fmt.Sprint(h.Kind, " ", h.Variant, " ", h.Old, " ", h.New, " ", h.Below, ": ", h.Reason))
		}
		if h.Verdict == Declined {
			f.Declined = append(f.Declined, fmt.Sprint(h.Kind, " ", h.Variant, " ", h.New))
		}
	}
	if l.entry.Owed != nil {
		f.Owed = string(l.entry.Owed.Status) + " " + l.entry.Owed.URL
	}
	for _, v := range r.Variants {
		if v.Written.Price == "" && v.Refused == "" { // the old room does not keep what was never written
			continue
		}
		w, d := v.Written, v.Seen
		f.Variants[v.ID] = variantFace{
			v.SKU, w.Price, w.Cost, w.MSRP, w.Quantity, v.Sold, w.Backorders, v.Unpriced, v.Refused, d.Price, d.Quantity, d.Off,
			d.Gone, v.Supply,
		}
	}
	if l.entry.Mark != nil && l.looked {
		f.Mark = l.entry.Mark.At.Time().Sub(l.now).Round(time.Minute).String()
	}
	return f.sorted()
}

func (f face) sorted() face {
	for _, list := range []*[]string{&f.Held, &f.Declined} {
		slices.Sort(*list)
	}
	return f
}

// check compares the rooms. It returns errStop where they differ as they should.
func (l *life) check() error {
	before, after := l.oldFace(), l.newFace()
	// the old room doubts a listing while groups of it are owed
	if len(l.calls[0]) > 0 && len(l.calls[1]) > 0 && l.calls[1][0].Ref.OnSale {
		l.calls[0][0].Ref.OnSale = true
	}
	if !l.looked { // what is approved stays declined until the next look in the old room
		before.Declined, after.Declined = nil, nil
	}
	for _, f := range []*face{&before, &after} { // what the merchant keeps is remembered as it was first written
		for id, v := range f.Variants {
			if l.set.Keep.Has(shopadapter.FieldPrice) {
				v.Price, v.Cost, v.MSRP = "", "", ""
			}
			if l.set.Keep.Has(shopadapter.FieldStock) {
				v.Quantity, v.Backorders, v.Sold = 0, false, 0
			}
			f.Variants[id] = v
		}
	}
	diff := cmp.Diff(l.calls[0], l.calls[1]) + cmp.Diff(before, after)
	if diff == "" && l.why == "" {
		return nil
	}
	if l.why != "" {
		judged.add(l.why)
		return errStop
	}
	for _, j := range judgements {
		if j.is(l, before, after, diff) {
			judged.add(j.reason)
			return errStop
		}
	}
	f := fault{diff: diff, log: strings.Join(l.log, "\n"), acts: len(l.log)}
	var key strings.Builder
	for line := range strings.Lines(diff) {
		if changed := strings.ContainsAny(line[:1], "+-"); changed {
			word, _, _ := strings.Cut(strings.TrimSpace(line[1:]), ":")
			fmt.Fprint(&key, line[:1], strings.TrimSpace(word)[:min(len(strings.TrimSpace(word)), 12)], " ")
		}
	}
	f.key = key.String()
	was, met := faults[f.key]
	if f.n = was.n + 1; met && was.acts < f.acts {
		was.n++
		f = was
	}
	faults[f.key] = f
	return errStop
}

// A fault is a difference that no judgement names, with the shortest life that met it.
type fault struct {
	key, diff, log string
	acts, n        int
}

var faults = map[string]fault{}

// A judgement is a difference between the rooms that is wanted.
type judgement struct {
	reason string
	is     func(l *life, before, after face, diff string) bool
}

var judgements = []judgement{
	{
		"a variant without a price is not compared with the shop",
		func(l *life, _, _ face, diff string) bool {
			return strings.Contains(diff, "Seen") &&
				slices.ContainsFunc(l.entry.Record.Variants, func(v Variant) bool { return v.Unpriced })
		},
	},
	{
		"what was sold before somebody deleted the listing is sold when it is made anew",
		func(l *life, _, _ face, diff string) bool {
			return strings.Contains(diff, "Quantity") && len(l.calls[1]) > 0 && l.calls[1][0].Ref.Asked &&
				l.calls[1][0].Ref.Listing == ""
		},
	},
	{
		"the price that is kept is named",
		func(_ *life, _, _ face, diff string) bool { return strings.Contains(diff, "sold out:  is below") },
	},
	{
		"a taking out of sale that has no answer is an attempt like any other, and looked at again",
		func(l *life, _, after face, _ string) bool { return after.Mark == "0s" && l.entry.Record.Attempt.Lost },
	},
	{
		"where every variant was refused, what was sent is owed, and no other group",
		func(l *life, _, _ face, diff string) bool {
			return strings.Contains(strings.Join(l.log, ""), "refuses ") && strings.Contains(diff, "Changed") &&
				len(l.calls[0]) == len(l.calls[1])
		},
	},
	{
		"of an entry that is gone no report is owed",
		func(_ *life, before, after face, _ string) bool {
			return after.Removal.Reason == store.RemovalAbsent && strings.HasPrefix(before.Owed, "success") && after.Owed == ""
		},
	},
	{
		"pictures that the shop has lost are owed until they are written, whatever a later comparison tells",
		func(l *life, _, _ face, diff string) bool {
			return strings.Contains(diff, "images") && slices.Contains(l.log, "shop: pictures")
		},
	},
	{
		"a listing that has moved is compared like any other",
		func(l *life, _, _ face, _ string) bool { return l.log[len(l.log)-1] == "shop: moved" },
	},
	{
		"a version that is taken out of sale is reported failed at once where its trouble has lasted for FailAfter",
		func(l *life, before, after face, _ string) bool {
			return after.Overdue && !before.Overdue && len(l.calls[1]) > 0 && l.calls[1][0].Do == "offline"
		},
	},
	{
		"the brake compares with the price of a day ago, too",
		func(l *life, _, after face, _ string) bool {
			return slices.ContainsFunc(after.Held, func(h string) bool { return strings.Contains(h, "within a day") })
		},
	},
	{
		"goods that come back under another id with their SKU are known: the brake compares with the price that they had",
		func(l *life, _, _ face, _ string) bool {
			return slices.ContainsFunc(l.entry.Record.Variants, func(v Variant) bool {
				return v.ID != "v1" && v.ID != "v2"
			}) || len(l.entry.Record.Gone) > 0
		},
	},
	{
		"what the shop has sold is forgotten when the merchant gives the stock back, so that it is written",
		func(l *life, _, _ face, diff string) bool {
			return l.reset && slices.ContainsFunc([]string{"stock", "Sold", "Do:"}, func(word string) bool {
				return strings.Contains(diff, word)
			})
		},
	},
}

// judged counts how often each was met.
var judged = counts{}

type counts map[string]int

func (c counts) add(reason string) { c[reason]++ }

// Both rooms are told the same of one publication, and differ only as the table says. A run that names
// no seed has one that is known: what another seed finds is judged by a person, in the table.
func TestOracle(t *testing.T) {
	if seed := flag.Lookup("rapid.seed"); seed.Value.String() == "0" {
		if err := seed.Value.Set("26"); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := seed.Value.Set("0"); err != nil {
				t.Error(err)
			}
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		l := newLife(t)
		l.look(false, false)
		if l.check() != nil {
			return
		}
		for range rapid.IntRange(1, 12).Draw(t, "acts") {
			later := []time.Duration{time.Minute, time.Hour, 5 * time.Hour, 25 * time.Hour}
			l.now = l.now.Add(rapid.SampledFrom(later).Draw(t, "later"))
			l.calls, l.looked = [2][]call{}, false
			l.act()
			if l.check() != nil {
				return
			}
		}
	})
	for reason, n := range judged {
		t.Log(n, reason)
	}
	for i, f := range slices.SortedFunc(maps.Values(faults), func(a, b fault) int { return b.n - a.n }) {
		if i < 12 {
			t.Errorf("%d lives: the rooms differ (-old +new):\n%s\nafter:\n%s", f.n, f.diff, f.log)
		}
	}
	if len(faults) > 12 {
		t.Errorf("and %d more kinds", len(faults)-12)
	}
}

// act has something happen.
func (l *life) act() {
	switch what := rapid.SampledFrom([]string{
		"supply", "supply", "supply", "supply", "look", "asked", "gone", "approve", "decline", "retry", "reset", "shop",
		"shop",
		"shop", "listed", "absent", "judge", "report", "report", "refused report", "rules",
	}).Draw(l.t, "act"); what {
	case "supply":
		l.supply()
		l.look(false, false)
	case "look":
		l.look(false, false)
	case "asked":
		l.look(true, false)
	case "gone":
		l.look(false, true)
	case "approve":
		l.person(what, func(w *store.Settlement) bool {
			return publication.Approve(w, publication.Choice{}, store.ClassAsked, "Ann", l.now)
		}, func(e *Entry) { Approve(e, Choice{}, ClassAsked, "Ann", l.now) })
	case "decline":
		l.person(what, func(w *store.Settlement) bool {
			return publication.Decline(w, l.owed, publication.Choice{}, store.ClassAsked, "Ann", l.now)
		}, func(e *Entry) { Decline(e, Choice{}, ClassAsked, "Ann", l.now) })
	case "retry", "reset":
		l.reset = l.reset || what == "reset"
		l.person(what, func(w *store.Settlement) bool {
			publication.Retry(w, store.ClassAsked, what == "reset", "Ann", l.now)
			return true
		}, func(e *Entry) { Retry(e, ClassAsked, what == "reset", "Ann", l.now) })
	case "shop":
		l.shop()
	case "listed":
		l.listed()
	case "absent":
		l.person(what, func(w *store.Settlement) bool { return publication.Absent(w, l.now) },
			func(e *Entry) { e.Absent(l.now) })
	case "judge":
		n := rapid.SampledFrom([]int{2, 30, 100}).Draw(l.t, "on sale")
		l.person(what, func(w *store.Settlement) bool {
			return l.before.Brake.Judge(publication.Removals{Found: make([]string, 15), OnSale: n}).Apply(w, l.now)
		}, func(e *Entry) { l.set.Brake.Removals(e, Removals{Found: 15, OnSale: n}, l.now) })
	case "report":
		l.report()
	case "refused report":
		if l.owed == nil || l.entry.Owed == nil {
			return
		}
		l.person(what, func(w *store.Settlement) bool {
			return publication.RefuseReport(w, l.owed, *l.owed, "no", l.now)
		}, func(e *Entry) { e.Refused(*e.Owed, "no", l.now) })
	case "rules":
		l.rules()
	}
}

// person applies an act outside of a look to both rooms.
func (l *life) person(what string, old func(*store.Settlement) bool, now func(*Entry)) {
	l.note("%s", what)
	w := store.Settlement{Record: l.rec}
	if old(&w) {
		next := w.Next
		if next == nil || l.mark != nil && l.mark.At < next.At {
			next = l.mark
		}
		w.Next = next
		l.takeOld(w)
	}
	now(&l.entry)
}

// shop has somebody change something in the shop, and compares.
func (l *life) shop() {
	what := rapid.SampledFrom([]string{
		"price", "emptied", "sale", "sold", "sold", "raised", "unlimited", "off", "variant gone", "nothing", "gone", "hidden",
		"pictures", "edited", "moved", "many",
	}).Draw(l.t, "in the shop")
	if l.rec.Attempted != 0 { // the old room compares no listing of which groups are owed
		return
	}
	l.note("shop: %s", what)
	at := store.At(l.now)
	seen := publication.Observation{Listing: shopadapter.Listing{Images: -1}}
	seen.OnSale, seen.URL = what != "hidden", l.rec.URL
	if what == "moved" {
		seen.URL = "https://new.example/lamp"
	}
	pieces := rapid.IntRange(0, 12).Draw(l.t, "pieces")
	n := 0
	for _, v := range l.entry.Record.Variants {
		if v.Written.Price == "" {
			continue
		}
		o := shopadapter.ListedVariant{
			ID: v.ID, SKU: v.SKU, Price: v.Written.Price, Quantity: max(0, v.Written.Quantity-v.Sold),
			Backorders: v.Written.Backorders, OnSale: true,
		}
		if n++; n == 1 {
			switch what {
			case "price", "many":
				o.Price = "5.00"
			case "emptied":
				o.Price = ""
			case "sale":
				o.Price, o.CompareAt = "5.00", v.Written.Price
			case "sold":
				o.Quantity = min(o.Quantity, pieces)
			case "raised":
				o.Quantity = v.Written.Quantity + pieces
			case "unlimited":
				o.Uncounted = true
			case "off":
				o.OnSale = false
			case "variant gone":
				continue
			}
		}
		seen.Variants = append(seen.Variants, o)
	}
	switch what {
	case "pictures":
		seen.Images = 0
	case "edited":
		seen.Compared, seen.Edited = shopadapter.TextFields, shopadapter.FieldTitle
	}
	now := l.now.Add(time.Second)
	old := publication.DriftOf(l.rec, seen.Listing, what != "gone", at)
	w := store.Settlement{Record: l.rec}
	g := publication.Group{Held: what == "many", Differing: 20, Products: 30}
	switch {
	case old != publication.DriftNone:
		if old.Apply(&w, l.owed, seen.URL, now) {
			l.takeOld(w)
		}
	case publication.Judged(l.rec, at):
		if l.before.Observed(&w, seen, g, now) {
			l.takeOld(w)
		}
	}
	o := &Shown{
		ShopID: l.rec.ShopID, URL: seen.URL, OnSale: seen.OnSale, Images: seen.Images, Compared: seen.Compared,
		Edited: seen.Edited,
	}
	for _, v := range seen.Variants {
		o.Variants = append(o.Variants, shopadapter.ListedVariant{
			ID: v.ID, SKU: v.SKU, Price: v.Price, CompareAt: v.CompareAt, Quantity: v.Quantity, Uncounted: v.Uncounted,
			Backorders: v.Backorders, OnSale: v.OnSale,
		})
	}
	if what == "gone" {
		o = nil
	}
	l.set.Observe(&l.entry, o, at, Group(g), now)
}

// listed has a page of an enumeration show the entry.
func (l *life) listed() {
	l.note("listed")
	now := l.now.Add(time.Second)
	e := marketplace.Entry{ID: l.pub.ID, UpdatedAt: l.pub.UpdatedAt, Status: l.pub.Status}
	page := marketplace.Page{Entries: []marketplace.Entry{e}, Asked: l.now, Answered: l.now}
	w := store.Settlement{Record: l.rec}
	if (publication.Listed{Page: page, Whole: true}).Apply(&w, l.rec.State != "", l.owed, now) {
		l.takeOld(w)
	}
	l.entry.Listed(Listing{Entry: e, Asked: l.now, Answered: l.now, Whole: true}, now)
}

// report has the marketplace take the report that is owed.
func (l *life) report() {
	if l.owed == nil || l.entry.Owed == nil {
		return
	}
	l.note("reported")
	now := l.now.Add(time.Second)
	look := &marketplace.Entry{ID: l.pub.ID, UpdatedAt: l.pub.UpdatedAt}
	pub := *l.pub
	pub.UpdatedAt, pub.Status, pub.ProductURL = l.now.Format(time.RFC3339), string(l.owed.Status), l.owed.URL
	l.pub = &pub
	sent := *l.owed
	w := store.Settlement{Record: l.rec}
	publication.Acknowledge(&w, nil, sent, marketplace.Result{UpdatedAt: pub.UpdatedAt}, look, now)
	l.owed = nil
	if w.Next == nil {
		w.Next = l.mark
	}
	l.takeOld(w)
	l.entry.Acknowledged(*l.entry.Owed, pub.UpdatedAt, look, now)
}

// rules has the merchant change a rule of prices, which both rooms follow by the record.
func (l *life) rules() {
	l.note("rules")
	l.set.Price.Add = decimal.NewFromInt(int64(rapid.IntRange(0, 3).Draw(l.t, "add")))
	l.before.Rules.Price.Add = l.set.Price.Add
	l.decider = publication.NewDecider(l.before)
	m := store.Mark{ID: l.rec.ID, Class: store.ClassRules, Cause: store.CauseRules, At: store.At(l.now)}
	in := Input{Rec: l.entry.Record, Owners: l.owners, Lists: true, Now: l.now, Mark: Mark{Class: ClassRules}}
	if l.entry.Mark != nil {
		in.Mark.Gen = l.entry.Mark.Gen
	}
	d, ok := l.decider.Reprice(l.rec, m, l.now)
	reads := l.set.Decide(in).Do == Read
	if ok == reads {
		l.why = "a record that holds prices, or owes figures alone, is decided without a reading"
		return
	}
	if ok {
		l.runOld(d, "good")
		l.runNew(in, "good")
	}
}
