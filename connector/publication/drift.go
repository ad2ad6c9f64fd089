package publication

import (
	"cmp"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// Shown is one listing as the shop shows it. What a shop does not tell counts as it was written.
type Shown struct {
	ShopID, URL string
	State       []byte
	OnSale      bool
	Variants    []shopadapter.ListedVariant // nil: not told
	Images      int                         // -1: not told
	// the text groups that were compared with what was last written, and those that are otherwise
	Compared, Edited shopadapter.Fields
	Outdated         shopadapter.Fields // text groups that would be written otherwise today, see shopadapter.Listing
	Untold           shopadapter.Fields // of price and stock: not told of the variants
	// Alike reports whether two prices are entered as the same amount; nil: where they are equal.
	Alike func(a, b string) bool
}

const (
	noPrice   = "no price"  // of a variant that nobody can buy
	unlimited = "unlimited" // quantity of a variant that the shop sells without counting
	// mostCorrections is how often the same figure is put right while the shop does not show ours in
	// between. From then on it is left: a plugin that reprices on save, or a shop that rounds, would be
	// written at each comparison for ever. It is put right again once the shop shows our figure, ours
	// moves, the rules change, or a person asks.
	mostCorrections = 3
)

// A Finding says how a listing differs from its record, for counts and for the brake.
type Finding struct {
	Gone     bool // the shop does not have it
	Hidden   bool // it is not on sale
	Back     bool // it had been deleted or hidden by hand, or was a draft, and is on sale
	Moved    bool // the shop shows it at another address
	Price    bool // somebody changed one, and it was not put right just before
	Stock    bool // somebody raised one
	Again    bool // a figure that was put right is as it was before that
	Variants bool // one was deleted or switched off
	Pictures bool // the shop has lost some
	Edited   bool // a text is the merchant's from now on, that was not before
}

// Judged reports whether a record can be compared with what a shop showed that was asked at a time:
// nothing was written since, and no call is open.
func Judged(r Record, asked store.Instant) bool {
	return r.Sale == OnSale && r.ShopID != "" && r.WrittenAt != 0 && r.WrittenAt < asked && !r.Open() &&
		r.Removal == (store.Removal{})
}

// Find says how a listing differs from its record; o is nil where the shop does not have it.
func (s *Settings) Find(r Record, o *Shown, asked store.Instant) (f Finding) {
	back := r.Sale == Draft && r.WrittenAt < asked && !r.Open() ||
		r.Sale == Off && (r.Problem.Hidden || r.Problem.Gone) && r.Problem.Last < asked
	switch {
	case back && o != nil && o.OnSale && r.Removal == (store.Removal{}):
		return Finding{Back: true}
	case !Judged(r, asked):
		return f
	case o == nil:
		return Finding{Gone: true}
	case !o.OnSale:
		return Finding{Hidden: true}
	}
	f.Moved = movesTo(r.URL, o.URL)
	for _, v := range r.Variants {
		seen, _ := s.see(r, v, o, 0)
		for _, d := range differences(seen) {
			tried := triesOf(v, d) > 0
			f.Again = f.Again || tried
			f.Price = f.Price || !tried && d.Field == shopadapter.FieldPrice
			f.Stock = f.Stock || !tried && d.Field == shopadapter.FieldStock
		}
		f.Variants = f.Variants || seen.Gone || seen.Off
	}
	f.Pictures = s.lost(r, o)
	f.Edited = o.Edited&^r.Kept&^s.Keep != 0
	return f
}

// see is how a variant stands in the shop, and how many of it the shop has sold:
//
//	in the shop                        what it means                    what becomes of it
//	another price, or none             somebody changed it              put right, held, or reported
//	a lower one beside a former price  the merchant's reduction         nothing
//	  that is not below ours
//	more pieces, or backorders         somebody changed it              put right, or reported
//	fewer pieces, or no backorders     the shop has sold them           taken off until the supplier's figure falls
//	nobody can choose it               the merchant switched it off     stays off until somebody asks
//	no such variant                    it was deleted                   made again
//	the same after three corrections   the shop does it itself          stays until somebody asks
func (s *Settings) see(r Record, v Variant, o *Shown, now store.Instant) (seen Seen, sold int) {
	sold = v.Sold
	if o.Variants == nil || v.Refused != "" || v.Written.Price == "" {
		return Seen{}, sold
	}
	untold := s.Keep | o.Untold
	i := -1
	for _, is := range []func(shopadapter.ListedVariant) bool{
		func(w shopadapter.ListedVariant) bool { return v.ShopID != "" && w.ShopID == v.ShopID },
		func(w shopadapter.ListedVariant) bool { return v.ID != "" && w.ID == v.ID },
		func(w shopadapter.ListedVariant) bool { return v.SKU != "" && w.SKU == v.SKU },
	} {
		if i < 0 {
			i = slices.IndexFunc(o.Variants, is)
		}
	}
	if i < 0 {
		seen.Gone = true
	} else {
		in := o.Variants[i]
		seen.Off = !in.OnSale
		if !untold.Has(shopadapter.FieldPrice) && !isMerchants(r, v.ID) && repriced(v, in, o.Alike) {
			seen.Price = cmp.Or(in.Price, noPrice)
		}
		if !untold.Has(shopadapter.FieldStock) {
			seen.Quantity, sold = restocked(v, in)
		}
	}
	before := v.Seen
	before.Since = 0
	switch {
	case seen == before && seen.Differs():
		seen.Since = v.Seen.Since
	case seen.Differs():
		seen.Since = now
	}
	return seen, sold
}

// repriced reports whether somebody changed the price of a variant. The merchant's own reduction is
// no change of it, and no more is what a shop rounds that takes prices without VAT.
func repriced(v Variant, in shopadapter.ListedVariant, alike func(a, b string) bool) bool {
	if alike == nil {
		alike = func(a, b string) bool { return a == b }
	}
	ours, err := decimal.NewFromString(v.Written.Price)
	if err != nil {
		return false
	}
	if in.Price == "" { // somebody emptied it
		return true
	}
	theirs, err := decimal.NewFromString(in.Price)
	if err != nil {
		return false
	}
	if former, err := decimal.NewFromString(in.CompareAt); err == nil && theirs.LessThan(ours) &&
		(former.GreaterThanOrEqual(ours) || alike(in.CompareAt, v.Written.Price)) {
		return false
	}
	return !theirs.Equal(ours) && !alike(in.Price, v.Written.Price)
}

// restocked is the quantity of a variant where it is above what was written, and how many the shop
// has sold.
func restocked(v Variant, in shopadapter.ListedVariant) (above string, sold int) {
	w := v.Written
	switch {
	case in.Uncounted && w.Backorders: // it may be sold without end either way
		return "", v.Sold
	case in.Uncounted, in.Backorders && !w.Backorders:
		return unlimited, v.Sold
	case in.Quantity > w.Quantity:
		return strconv.Itoa(in.Quantity), v.Sold
	}
	return "", max(w.Quantity, v.Sold) - in.Quantity // less may stand there than is sold by now
}

// isMerchants reports whether the price of a variant is the merchant's: a person declined to have
// ours put back.
func isMerchants(r Record, variant string) bool {
	return slices.ContainsFunc(r.Holds, func(h Hold) bool {
		return h.Kind == store.HoldDrift && h.Verdict == Declined && h.Variant == variant
	})
}

// differences is how a variant differs from what was written, without the counts.
func differences(seen Seen) (out []Corrected) {
	if seen.Gone {
		return []Corrected{{Field: shopadapter.FieldVariants}}
	}
	if seen.Price != "" {
		out = append(out, Corrected{Field: shopadapter.FieldPrice, Had: seen.Price})
	}
	if seen.Quantity != "" {
		out = append(out, Corrected{Field: shopadapter.FieldStock, Had: seen.Quantity})
	}
	return out
}

// triesOf is how often a difference was put right in a row.
func triesOf(v Variant, d Corrected) int {
	for _, c := range v.Corrected {
		if c.Field == d.Field && c.Had == d.Had {
			return c.Tries
		}
	}
	return 0
}

// Recurs reports whether a listing has differences that are left, since the shop made them anew each
// time that they were put right.
func Recurs(r Record) bool {
	return slices.ContainsFunc(r.Variants, func(v Variant) bool {
		return slices.ContainsFunc(differences(v.Seen), func(d Corrected) bool { return triesOf(v, d) >= mostCorrections })
	})
}

// wrong is the groups that are to be written so that the shop holds what was written last.
func (s *Settings) wrong(r Record) (fields shopadapter.Fields) {
	for _, v := range r.Variants {
		for _, d := range differences(v.Seen) {
			switch {
			case triesOf(v, d) >= mostCorrections:
			case d.Field == shopadapter.FieldVariants:
				fields |= shopadapter.FieldVariants | figures
			case !s.ReportDrift:
				fields |= d.Field
			}
		}
	}
	if driftHeld(r.Holds) {
		fields &^= shopadapter.FieldPrice
	}
	return fields
}

// driftHeld reports whether prices that were changed in the shop stay until a person says that they
// are to be put right.
func driftHeld(holds []Hold) bool {
	return slices.ContainsFunc(holds, func(h Hold) bool { return h.Kind == store.HoldDrift && h.Verdict == "" })
}

// hold puts the holds of a decision in force, with those of the comparison. While prices that were
// changed in the shop are held no other price is written.
func (s *Settings) hold(st *Step, holds []Hold, r Record) {
	for _, h := range r.Holds {
		if h.Kind == store.HoldDrift && h.Verdict != Declined {
			holds = append(holds, h)
		}
	}
	st.Holds, st.judged = holds, true
	if !driftHeld(holds) {
		return
	}
	at := map[string]int{}
	for i, v := range st.Product.Variants {
		at[v.ID] = i
	}
	for i := range st.Rows {
		row := &st.Rows[i]
		if w := row.was.v.Written; row.Shown && row.was.settled {
			row.Written.Price, row.Written.Cost, row.Written.MSRP = w.Price, w.Cost, w.MSRP
			v := &st.Product.Variants[at[row.ID]]
			v.Price, v.Cost, v.MSRP = w.Price, w.Cost, w.MSRP
		}
	}
}

// lost reports whether the shop has lost pictures that are to be written again: once, and none that
// the merchant took away.
func (s *Settings) lost(r Record, o *Shown) bool {
	return o.Images >= 0 && o.Images < r.Pictures.Shown && !o.Edited.Has(shopadapter.FieldImages) &&
		r.Pictures.Lost == 0 && r.Pictures.LateSince == 0 && !s.Keep.Has(shopadapter.FieldImages)
}

// A Group is the prices that one comparison found to be changed.
type Group struct {
	Held                bool // they are so many that somebody meant it: see VeryMany
	Differing, Products int
}

func (g Group) reason() string {
	return fmt.Sprintf("the prices of %d of %d products were changed in the shop, so somebody meant it: approve puts "+
		"them back, PUBSYNC_SHOP_KEEP=price leaves prices to the shop", g.Differing, g.Products)
}

// Observe takes into an entry what the shop shows of its listing, once the whole list has been
// judged; o is nil where the shop does not have it. What is to be put right is due at once. It
// reports whether there is something to write.
func (s *Settings) Observe(e *Entry, o *Shown, asked store.Instant, g Group, now time.Time) bool {
	r := &e.Record
	f := s.Find(*r, o, asked)
	before := r.State
	switch {
	case f.Gone:
		r.Dirty = shopadapter.AllFields // so that the look calls the shop
		e.Note(Mark{Class: ClassSweep, At: store.At(now)})
	case f.Hidden:
		hide(r, now)
		e.Tell(Event{At: store.At(now), What: "taken out of sale in the shop by hand"})
	case f.Back:
		r.Sale, r.Problem = OnSale, Problem{}
		if isWebAddress(o.URL) {
			r.URL = o.URL
		}
		e.Tell(Event{At: store.At(now), What: "put on sale again in the shop by hand"})
		e.Note(Mark{Class: ClassSweep, At: store.At(now)}) // the supplier may have changed it meanwhile
	case !Judged(*r, asked):
		return false
	default:
		if f.Moved {
			e.Tell(Event{At: store.At(now), What: WhatUpdated, Changes: []Change{{Field: "address", Old: r.URL, New: o.URL}}})
			r.URL, r.URLListed = o.URL, true
		}
		if changed := s.compareFigures(e, o, g, now); !f.Moved {
			restate(e, before, now)
			return changed
		}
	}
	restate(e, before, now)
	owe(e, now)
	return true
}

// compareFigures compares the variants and texts of a listing that is on sale.
func (s *Settings) compareFigures(e *Entry, o *Shown, g Group, now time.Time) (changed bool) {
	r := &e.Record
	held, kept, pictures, was := driftHeld(r.Holds), r.Kept, r.Pictures, r.Holds
	r.Variants, r.Holds = slices.Clone(r.Variants), slices.DeleteFunc(slices.Clone(r.Holds), func(h Hold) bool {
		return h.Kind == store.HoldDrift && h.Verdict == ""
	})
	for i := range r.Variants {
		v := &r.Variants[i]
		s.adoptMerchants(r, v, o)
		seen, sold := s.see(*r, *v, o, store.At(now))
		shown := differences(seen)
		left := slices.DeleteFunc(slices.Clone(v.Corrected), func(c Corrected) bool {
			return !slices.ContainsFunc(shown, func(d Corrected) bool { return d.Field == c.Field && d.Had == c.Had })
		})
		changed = changed || seen != v.Seen || sold != v.Sold || len(left) != len(v.Corrected)
		told := v.Seen == seen
		v.Seen, v.Sold, v.Corrected = seen, sold, left
		for _, d := range shown {
			if tries := triesOf(*v, d); tries >= mostCorrections && !told {
				e.Tell(Event{At: store.At(now), What: leftText(*v, d, tries)})
			}
		}
		tried := seen.Price != "" && triesOf(*v, Corrected{Field: shopadapter.FieldPrice, Had: seen.Price}) > 0
		if seen.Price != "" && !tried && (g.Held || held) && !s.ReportDrift {
			h := Hold{
				Kind: store.HoldDrift, Variant: v.ID, Old: seen.Price, New: v.Written.Price, Reason: g.reason(),
				Since: store.At(now),
			}
			if i := slices.IndexFunc(was, h.Same); i >= 0 {
				h.Since, h.Reason, h.Verdict, h.By = was[i].Since, was[i].Reason, was[i].Verdict, was[i].By
			}
			r.Holds = append(slices.DeleteFunc(r.Holds, h.Same), h)
		}
	}
	r.Kept = r.Kept&^o.Compared | o.Edited&^s.Keep
	r.Dirty |= o.Outdated & shopadapter.TextFields &^ s.Keep &^ r.Kept
	switch lost := s.lost(*r, o); {
	case lost:
		r.Dirty, r.Pictures.Lost = r.Dirty|shopadapter.FieldImages, 1
		e.Tell(Event{At: store.At(now), What: "the shop has lost pictures: they are written again"})
	case o.Images >= r.Pictures.Shown && !o.Edited.Has(shopadapter.FieldImages):
		r.Pictures.Shown, r.Pictures.Lost = o.Images, 0 // late ones have come, or none was counted
	}
	if held && !driftHeld(r.Holds) { // what the supplier changed meanwhile was not written
		e.Note(Mark{Class: ClassFull, At: store.At(now)})
	}
	if wrong := s.wrong(*r) | r.Dirty; wrong != 0 {
		class := ClassFull
		if wrong&^figures == 0 && Repriceable(*r) {
			class = ClassRules
		}
		e.Note(Mark{Class: class, At: store.At(now)})
		changed = true
	}
	tellHeld(e, was, now)
	return changed || kept != r.Kept || !slices.Equal(was, r.Holds) || pictures.Shown != r.Pictures.Shown
}

// adoptMerchants records the price that the shop has of a variant whose price is the merchant's. Of
// one that was emptied ours stays the last.
func (s *Settings) adoptMerchants(r *Record, v *Variant, o *Shown) {
	if (s.Keep | o.Untold).Has(shopadapter.FieldPrice) || !isMerchants(*r, v.ID) {
		return
	}
	i := slices.IndexFunc(o.Variants, func(w shopadapter.ListedVariant) bool {
		return v.ShopID != "" && w.ShopID == v.ShopID || w.ID == v.ID
	})
	if i < 0 || !repriced(*v, o.Variants[i], o.Alike) {
		return
	}
	if amount, err := decimal.NewFromString(o.Variants[i].Price); err == nil {
		v.Written.Price = amount.StringFixed(2)
	}
}

// leftText says what is left of a variant from now on, and why.
func leftText(v Variant, d Corrected, tries int) string {
	name := nameOf(v.Title, v.ID)
	switch d.Field {
	case shopadapter.FieldPrice:
		return fmt.Sprintf("the shop has %s for %s again, though %s was written %d times: left",
			d.Had, name, v.Written.Price, tries)
	case shopadapter.FieldStock:
		return fmt.Sprintf("the shop has %s of %s again, though %d was written %d times: left",
			d.Had, name, v.Written.Quantity, tries)
	default:
		return fmt.Sprintf("%s is deleted in the shop again, though it was made %d times: left", name, tries)
	}
}

// hide records that somebody took a listing out of sale by hand. It stays so until they put it back,
// or ask for it.
func hide(r *Record, now time.Time) {
	r.Sale = Off
	r.Problem = Problem{
		Kind: store.ProblemBlocked, Message: hiddenText(r.ID), Hidden: true, Since: store.At(now), Last: store.At(now),
	}
	r.Pictures.Missing, r.Pictures.LateSince, r.Pictures.LateAt = nil, 0, 0
}

func hiddenText(id string) string {
	return "it was taken out of sale in the shop by hand: put it on sale there, or `pubsync retry " + id + "` " +
		"publishes it again"
}

// TakeOver takes over a listing that the shop holds as ours, where the store was lost: prices and
// quantities that it shows count as written, so that the brake holds them and what was sold is not
// put back. It reports whether there is something to write.
func TakeOver(e *Entry, o Shown, now time.Time) bool {
	r := &e.Record
	if e.Known && r.ShopID != "" {
		return false
	}
	r.ShopID, r.ShopState, r.URL, r.URLListed = o.ShopID, o.State, o.URL, isWebAddress(o.URL)
	r.Sale = Off
	if o.OnSale {
		r.Sale = OnSale
	}
	r.Variants = nil
	for _, v := range o.Variants {
		amount, err := parseAmount(v.Price)
		if err != nil || amount.IsZero() {
			continue
		}
		r.Variants = append(r.Variants, Variant{
			ID: v.ID, ShopID: v.ShopID, SKU: v.SKU,
			Written: Written{
				Price: amount.StringFixed(2), Quantity: v.Quantity, Backorders: v.Backorders || v.Uncounted, Offered: -1,
			},
		})
	}
	r.Dirty, r.ListedAt = shopadapter.AllFields, store.At(now)
	r.State = StateOf(*r)
	return true
}

// Suspect records that the shop may hold something else than the record says, since its store is a
// backup that was put back. The next look writes the listing whole, and nothing is reported before.
func Suspect(e *Entry, now time.Time) {
	r := &e.Record
	if r.ShopID != "" || r.WrittenAt != 0 || r.Unsure() != 0 {
		r.Dirty = shopadapter.AllFields
	}
	r.Attempt.Lost = true // something may have been sent to the shop since the backup
	m := Mark{Class: ClassRefresh, At: store.At(now)}
	if e.Owed != nil {
		e.Owed, m.Class = nil, ClassFull
	}
	e.Note(m)
}

// SameAddress reports whether two addresses are one: the case of scheme and host, a final dot of the
// host, the default port and final slashes make no difference.
func SameAddress(a, b string) bool {
	one, ok := plainAddress(a)
	other, fine := plainAddress(b)
	return a == b || ok && fine && one == other
}

func plainAddress(address string) (string, bool) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Host == "" {
		return "", false
	}
	scheme, port := strings.ToLower(u.Scheme), u.Port()
	if scheme == "http" && port == "80" || scheme == "https" && port == "443" {
		port = ""
	}
	host := strings.TrimRight(strings.ToLower(u.Hostname()), ".")
	return strings.Join([]string{scheme, host, port, strings.TrimRight(u.Path, "/"), u.RawQuery, u.Fragment}, " "), true
}

// isPrivateHost reports whether the host of an address is one that customers cannot reach.
func isPrivateHost(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return true
	}
	host := strings.TrimRight(strings.ToLower(u.Hostname()), ".")
	if ip, err := netip.ParseAddr(host); err == nil {
		ip = ip.Unmap()
		return !ip.IsGlobalUnicast() || ip.IsPrivate()
	}
	for _, end := range []string{".localhost", ".local", ".internal", ".test"} {
		if strings.HasSuffix(host, end) {
			return true
		}
	}
	return !strings.Contains(host, ".")
}

// movesTo reports whether the address that the shop lists takes the place of the one that is known. A
// worker that reaches the shop by a private name is shown that name.
func movesTo(known, listed string) bool {
	return isWebAddress(listed) && !SameAddress(known, listed) &&
		(!isPrivateHost(listed) || known == "" || isPrivateHost(known))
}

// ShownAs is a listing as the shop shows it, whose prices are entered in a way.
func ShownAs(l shopadapter.Listing, ref shopadapter.Ref, prices shopadapter.Prices) *Shown {
	return &Shown{
		ShopID: string(cmp.Or(ref.Listing, l.ID)), URL: l.URL, State: ref.State, OnSale: l.OnSale,
		Variants: l.Variants, Images: l.Images,
		Compared: l.Compared, Edited: l.Edited, Outdated: l.Outdated, Untold: l.Untold, Alike: prices.Alike,
	}
}
