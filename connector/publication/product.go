package publication

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A wish is what the shop shall hold of what the supplier gives, or why it cannot.
type wish struct {
	product shopadapter.Product
	rows    []Row
	holds   []Hold
	offers  []offer // what may be sold, whatever a brake holds of it
	terms   store.Terms
	unread  []string           // the parts that could not be read
	cut     string             // says that the description was cut, "" where it was not
	waits   string             // why it is not known yet what the shop shall hold, "" where it is
	problem *shopadapter.Error // why there is nothing to sell, nil where there is

	placed   bool // the branch of its category is known, or the category is another than before
	untitled bool // the problem is that it has no title yet
	withheld bool // a brake holds the whole product: the shop is left as it is
}

// A Row is one variant as a step sees it.
type Row struct {
	ID, Title string
	Supply    store.Supply
	Refused   string  // why our own rules keep it out, "" where they do not
	Shown     bool    // it is in the product
	Written   Written // what is written of it once the step is done; of a row that is shown
	Sold      int     // pieces that stay taken off its quantity
	ruled     bool    // of a price that the supplier moves: the rules move it too
	was       former
}

const (
	dateLayout     = "2006-01-02"
	policyContinue = "CONTINUE" // the supplier takes orders beyond the stock
	noAmount       = "?"        // replaces a figure that is no amount, and makes no price under any rule
	detailGroups   = shopadapter.FieldBrand | shopadapter.FieldDetails
	mostDeliveries = 100  // groups of countries whose costs a record keeps
	mostThumbnail  = 1024 // bytes of an address that lists show
)

// wish maps a listing that has variants.
func (s *Settings) wish(pub *marketplace.Publication, r Record, now time.Time) wish {
	l := pub.Listing
	w := wish{terms: s.terms(l, r.Terms), unread: l.Unread}
	w.product = shopadapter.Product{
		ID: shopadapter.PublicationID(pub.ID), ListingID: l.ID, ProductID: l.ProductID, UpdatedAt: pub.UpdatedAt,
		Currency: s.Currency, Returns: line(l.Returns, maxLine),
		Variants: []shopadapter.Variant{},
		Options:  []string{}, Shipping: []shopadapter.Shipping{}, Images: webAddresses(l.Images),
	}
	if s.Details {
		w.product.Brand, w.product.Units = line(l.Brand, maxLine), s.Units
	}
	s.texts(&w, l)
	w.placed = w.category(l.Category, r.Terms)
	for _, one := range l.Shipping {
		w.product.Shipping = append(w.product.Shipping, shopadapter.Shipping{
			CountryGroup: line(one.CountryGroup, maxLine), FixedCosts: line(one.FixedCosts, maxLine),
			VariableCosts: line(one.VariableCosts, maxLine), EstimatedDays: line(one.EstimatedDays, maxLine),
		})
	}
	if w.waits = s.awaitedLanguage(r, pub.Languages, w.product.Title != ""); w.waits != "" {
		return w
	}
	if w.product.Title == "" {
		w.untitled = true
		w.problem = shopadapter.Reject(
			"the listing has no title in any of the languages asked for (%s)", strings.Join(s.Languages, ", "),
		)
	} else if _, lacks := s.Price.categoryOf(w.terms); !mayShow(r) {
		w.waits = cmp.Or(lacks, s.skipsBlindly(w.terms))
	}
	if w.waits != "" || w.untitled && !listed(r) { // what is on sale follows the supplier's figures
		return w
	}
	s.variants(&w, l, r, now)
	if w.untitled {
		return w
	}
	first := slices.ContainsFunc(w.holds, func(h Hold) bool { return h.Kind == store.HoldFirstPrice && h.Stands() })
	no := slices.IndexFunc(w.holds, func(h Hold) bool {
		return h.Kind == store.HoldFirstPrice && h.Verdict == Declined
	})
	switch w.withheld = first && (!mayShow(r) || len(w.product.Variants) == 0); {
	case w.withheld:
	case no >= 0 && !mayShow(r): // nobody wants the product that was never on sale with that variant
		w.problem = shopadapter.Reject("%s", keptOutText(w.holds[no]))
	case len(w.product.Variants) == 0:
		w.problem = shopadapter.Reject("no variant can be sold: %s", firstReason(w.rows))
	}
	return w
}

// firstReason is why the first variant by its id cannot be sold.
func firstReason(rows []Row) string {
	why, id := "none has an id", ""
	for _, row := range rows {
		if row.Refused != "" && (id == "" || row.ID < id) {
			why, id = row.Refused, row.ID
		}
	}
	return why
}

func (s *Settings) texts(w *wish, l *marketplace.Listing) {
	p := &w.product
	p.Translations = map[string]shopadapter.Translation{}
	for _, lang := range s.Languages {
		t := l.Translations[lang]
		title := line(t.Title, maxTitle)
		if title == "" {
			continue
		}
		description := cut(t.Description, MaxDescription)
		if len(description) < len(t.Description) && w.cut == "" {
			w.cut = cutText(len(t.Description), len(description))
		}
		p.Translations[lang] = shopadapter.Translation{Title: title, Description: sanitize(description)}
		if p.Title == "" {
			p.Language, p.Title, p.Description = lang, title, p.Translations[lang].Description
		}
	}
}

// awaitedLanguage is the language that a publication must wait for, "" for none. asked is those that
// were asked for, nil where that is not known. A schema may lose a language by mistake: while the
// one that a product was written in is missing, it is not written in another, and while a wanted one
// was not asked for, no product is refused for lack of a title.
func (s *Settings) awaitedLanguage(r Record, asked []string, titled bool) string {
	var missing []string
	for _, lang := range s.Languages {
		if asked != nil && !slices.Contains(asked, lang) {
			missing = append(missing, lang)
		}
	}
	switch {
	case r.WrittenAt != 0 && slices.Contains(missing, r.Language):
		return fmt.Sprintf("the marketplace's schema lacks the language %s, in which this product was written: it stays "+
			"as it is until the language is back, or PUBSYNC_MARKETPLACE_LANGUAGES no longer names it", r.Language)
	case !titled && len(missing) > 0:
		return fmt.Sprintf("it has no title in the languages that the marketplace's schema has, and %s could not be asked "+
			"for", strings.Join(missing, ", "))
	}
	return ""
}

// category is the listing's category. It reports whether its branch is known, or the category is
// another than before: while the tree cannot be read, the same category is no change.
func (w *wish) category(c marketplace.Category, before store.Terms) (known bool) {
	p := &w.product
	p.Category = shopadapter.Category{Path: line(c.Path, maxLine), Name: line(c.Name, maxLine)}
	for _, n := range c.Branch {
		level := shopadapter.Level{Path: line(n.Path, maxLine), Name: line(n.Name, maxLine)}
		if level.Path == "" || level.Name == "" {
			p.Category.Branch = nil
			break
		}
		p.Category.Branch = append(p.Category.Branch, level)
	}
	was := before.Branch
	return len(p.Category.Branch) > 0 || before.Rootless || len(was) == 0 || was[len(was)-1] != p.Category.Path
}

// unknown is the groups that could not be read and that the shop has from an earlier write: they are
// left as they are. A new listing is made of what could be read.
func (s *Settings) unknown(
	r Record, l *marketplace.Listing, p shopadapter.Product, placed bool,
) (groups shopadapter.Fields) {
	if r.WrittenAt == 0 {
		return shopadapter.NoFields
	}
	if !placed {
		groups |= shopadapter.FieldCategory
	}
	if !s.Details || !knowsDetails(l) {
		groups |= detailGroups
	}
	for _, field := range l.Unread {
		switch field {
		case marketplace.UnreadCategory:
			groups |= shopadapter.FieldCategory
		case marketplace.UnreadShipping, marketplace.UnreadReturns:
			groups |= shopadapter.FieldShipping
		case marketplace.UnreadImages:
			groups |= shopadapter.FieldImages
		case marketplace.UnreadEAN:
			if sameVariants(p.Variants, r.Variants) {
				groups |= shopadapter.FieldVariants
			}
		}
	}
	return groups
}

// sameVariants reports whether variants are those last written, by all that the record has of them but
// their figures.
func sameVariants(variants []shopadapter.Variant, written []Variant) bool {
	before := make(map[string]Variant, len(written))
	for _, v := range written {
		if v.Written.Price != "" && !v.Unpriced {
			before[v.ID] = v
		}
	}
	return len(variants) == len(before) && !slices.ContainsFunc(variants, func(v shopadapter.Variant) bool {
		w, had := before[v.ID]
		return !had || w.Title != v.Title || w.SKU != v.SKU
	})
}

// knowsDetails reports whether a reading has brand and details whole.
func knowsDetails(l *marketplace.Listing) bool {
	return l.Details && !slices.Contains(l.Unread, marketplace.UnreadDetails)
}

// TermsOf are the supplier's terms of a listing of which nothing is recorded.
func TermsOf(l *marketplace.Listing) store.Terms { return new(Settings).terms(l, store.Terms{}) }

// terms are the supplier's terms that rules go by. A part that could not be read is as it was read
// last, and so are the categories above the same category.
func (s *Settings) terms(l *marketplace.Listing, last store.Terms) store.Terms {
	t := store.Terms{Known: true, Branch: last.Branch, Rootless: last.Rootless, Delivery: last.Delivery}
	own := line(l.Category.Path, maxLine)
	switch {
	case slices.Contains(l.Unread, marketplace.UnreadCategory):
	case own == "":
		t.Branch, t.Rootless = nil, false
	case len(l.Category.Branch) > 0:
		t.Branch, t.Rootless = nil, false
		for _, n := range l.Category.Branch {
			t.Branch = append(t.Branch, line(n.Path, maxLine))
		}
	case len(last.Branch) == 0 || last.Branch[len(last.Branch)-1] != own || last.Rootless:
		t.Branch, t.Rootless = []string{own}, true
	}
	if slices.Contains(l.Unread, marketplace.UnreadShipping) {
		return t
	}
	t.Delivery = nil
	for _, d := range l.Shipping[:min(len(l.Shipping), mostDeliveries)] {
		t.Delivery = append(t.Delivery, store.Delivery{
			Group: line(d.CountryGroup, maxLine), Costs: figureText(d.FixedCosts), Days: line(d.EstimatedDays, maxLine),
		})
	}
	return t
}

// variants makes the product's variants of those that the supplier gives. A variant without an id of
// its own is left out: it could not be told from others later.
func (s *Settings) variants(w *wish, l *marketplace.Listing, r Record, now time.Time) {
	j := judge{s: s, rec: r, price: s.Price.For(w.terms), now: now}
	was := formers(r, l.Variants, s.SKUPrefix, now)
	options, met := set{}, set{}
	for _, v := range l.Variants {
		if v.ID == "" || !met.add(v.ID) {
			continue
		}
		row := Row{ID: v.ID, Title: line(v.Title, maxLine), Supply: supplyOf(v), was: was[v.ID]}
		if s.Details {
			row.Supply.AvailableAt = row.was.v.Supply.AvailableAt
			if knowsDetails(l) && l.Available {
				row.Supply.AvailableAt = date(l.BySKU[v.SKU].AvailableAt)
			}
		}
		quote, err := j.price.Quote(v.Cost, v.MSRP)
		switch {
		case err != nil:
			row.Refused = err.Error()
		case quote.Lacks != "" && len(row.was.prices) == 0:
			row.Refused = quote.Lacks
		}
		if row.Refused != "" {
			w.rows = append(w.rows, row)
			continue
		}
		out := shopadapter.Variant{
			ID: v.ID, Title: row.Title, EAN: line(v.EAN, maxLine), Options: []shopadapter.Option{},
			Price: quote.Price.StringFixed(2), Cost: amountText(v.Cost), MSRP: amountText(v.MSRP),
			Quantity: max(0, row.Supply.Quantity-s.StockBuffer), Backorders: row.Supply.Backorders,
			Later: row.Supply.AvailableAt > now.UTC().Format(dateLayout),
		}
		if s.Details {
			out.Details = details(l, v)
			out.AvailableAt = row.Supply.AvailableAt // also where the details could not be read
		}
		if sku := line(v.SKU, maxLine); sku != "" {
			out.SKU = s.SKUPrefix + sku
		}
		paid, _ := parseAmount(v.Cost) //nolint:errcheck // zero is not known
		w.offers = append(w.offers, offer{nameOf(row.Title, v.ID), quote.Price, paid, row.Supply.Quantity, out.Backorders})
		if row.Shown, row.Refused = j.shows(&out, &row, quote); row.Shown {
			own := set{}
			for _, o := range v.Options {
				name, value := line(o.Name, maxLine), line(o.Value, maxLine)
				if name == "" || value == "" || !own.add(name) {
					continue
				}
				out.Options = append(out.Options, shopadapter.Option{Name: name, Value: value})
				if options.add(name) {
					w.product.Options = append(w.product.Options, name)
				}
			}
			row.fill(&out)
			w.product.Variants = append(w.product.Variants, out)
		}
		w.rows = append(w.rows, row)
	}
	w.holds = j.holds
}

// fill settles what is written of a variant, and takes off its quantity what the shop has sold. A
// fall of the supplier's figure is what our own orders look like; a rise is none of them.
func (row *Row) fill(v *shopadapter.Variant) {
	row.Written = Written{
		Price: v.Price, Cost: v.Cost, MSRP: v.MSRP, Quantity: v.Quantity, Backorders: v.Backorders,
		Offered: row.Supply.Quantity,
	}
	row.Sold = stillSold(row.was.v, row.Supply.Quantity, v.Quantity)
	v.Quantity = max(0, v.Quantity-row.Sold)
}

// stillSold is how many of the pieces that the shop has sold of a variant an offer does not show yet.
// quantity is what would be written of it, were none sold. Of a listing that was taken over it is
// what the shop shows less.
func stillSold(was Variant, offered, quantity int) int {
	if was.Written.Offered < 0 {
		return max(0, quantity-was.Written.Quantity)
	}
	return max(0, was.Sold-max(0, was.Written.Offered-offered))
}

// A former is what the shop may show of a variant from before.
type former struct {
	v       Variant
	settled bool     // a price was settled
	prices  []string // that it may show: of an attempt whose end is not known, and the last settled one
	day     string   // the price of a day ago, "" where it is none of these
}

// show is the price that stays in the shop while another is held.
func (f former) show() Written {
	if f.v.Sent.Price != "" {
		return f.v.Sent
	}
	return f.v.Written
}

// goneFor is how long the price of a variant that left counts.
const goneFor = 30 * 24 * time.Hour

// formers finds what the variants of a reading were before: by their id, and where that is new, by
// the SKU of one that has left, or was taken over without an id.
func formers(r Record, list []marketplace.Variant, prefix string, now time.Time) map[string]former {
	out, in := make(map[string]former, len(list)), set{}
	for _, v := range list {
		in.add(v.ID)
	}
	left := map[string]Variant{}
	for _, g := range r.Gone {
		if now.Sub(g.At.Time()) < goneFor {
			left[store.SKUKey(g.SKU)] = Variant{Written: Written{Price: g.Price}}
		}
	}
	for _, v := range r.Variants {
		if _, stays := in[v.ID]; stays && v.ID != "" {
			out[v.ID] = formerOf(v, now)
		} else if v.SKU != "" && (v.Written.Price != "" || v.Sent.Price != "") {
			if v.ID != "" { // what the shop has sold of it, or shows, is of another variant
				v.Sold, v.Seen, v.Supply, v.Written.Offered = 0, Seen{}, store.Supply{}, 0
			}
			left[store.SKUKey(v.SKU)] = v
		}
	}
	for _, v := range list {
		sku := line(v.SKU, maxLine)
		if _, had := out[v.ID]; had || sku == "" {
			continue
		}
		sku = store.SKUKey(prefix + sku)
		for _, key := range []string{sku, store.SKUKey(suffixed(sku, r.ID, v.ID, 0))} {
			if was, ok := left[key]; ok {
				out[v.ID] = formerOf(was, now)
			}
		}
	}
	return out
}

func formerOf(v Variant, now time.Time) former {
	f := former{v: v}
	if v.Sent.Price != "" {
		f.prices = append(f.prices, v.Sent.Price)
	}
	if v.Written.Price != "" && (v.Refused == "" || v.Unpriced) {
		f.settled = true
		f.prices = append(f.prices, v.Written.Price)
	}
	if v.Day.Price != "" && now.Sub(v.Day.At.Time()).Abs() < day {
		f.day = v.Day.Price
	}
	return f
}

// mayShow reports whether the shop may show a price of any variant.
func mayShow(r Record) bool {
	return slices.ContainsFunc(r.Variants, func(v Variant) bool {
		return v.Sent.Price != "" || v.Written.Price != "" && (v.Refused == "" || v.Unpriced)
	})
}

// details are a variant's: its own, and the product's size and weight where it has none.
func details(l *marketplace.Listing, v marketplace.Variant) shopadapter.Details {
	var own marketplace.Details
	if v.SKU != "" {
		own = l.BySKU[v.SKU]
	}
	stated := func(figure string) string { // nothing weighs 0
		if strings.Trim(figure, "0. ") == "" {
			return ""
		}
		return figure
	}
	of := func(own, product string) string { return line(cmp.Or(stated(own), stated(product)), maxLine) }
	lines := func(list []string) (out []string) {
		for _, word := range list {
			if word = line(word, maxLine); word != "" {
				out = append(out, word)
			}
		}
		return out
	}
	return shopadapter.Details{
		Weight: of(own.Weight, l.Size.Weight), Length: of(own.Length, l.Size.Length),
		Width: of(own.Width, l.Size.Width), Height: of(own.Height, l.Size.Height),
		Diameter: of(own.Diameter, l.Size.Diameter), Volume: of(own.Volume, l.Size.Volume),
		Origin: of(own.MadeIn, ""), LeadTime: of(own.LeadTime, ""), AvailableAt: date(own.AvailableAt),
		Tags: lines(own.Tags), Materials: lines(own.Materials), CaseQuantity: of(own.CaseQuantity, ""),
	}
}

// date is a text that is a date, "" for any other.
func date(text string) string {
	if _, err := time.Parse(dateLayout, text); err != nil {
		return ""
	}
	return text
}

// supplyOf is the supplier's figures of a variant. Rules make the same of them as of the variant.
func supplyOf(v marketplace.Variant) store.Supply {
	s := store.Supply{
		Known: true, Cost: figureText(v.Cost), MSRP: figureText(v.MSRP),
		Backorders: strings.EqualFold(v.Policy, policyContinue),
	}
	if v.Quantity != nil {
		s.Quantity = max(0, *v.Quantity)
	}
	return s
}

// suppliedAs is a variant as the marketplace would show it, by what was last read.
func suppliedAs(v Variant) marketplace.Variant {
	out := marketplace.Variant{
		ID: v.ID, Title: v.Title, Cost: v.Supply.Cost, MSRP: v.Supply.MSRP, Quantity: &v.Supply.Quantity,
	}
	if v.Supply.Backorders {
		out.Policy = policyContinue
	}
	return out
}

func figureText(s string) string {
	if _, err := parseAmount(s); err != nil {
		return noAmount
	}
	return strings.TrimSpace(s)
}

// webAddresses are the absolute web addresses of a list, each once.
func webAddresses(list []string) []string {
	seen, out := set{}, []string{}
	for _, address := range list {
		if isWebAddress(address) && seen.add(address) {
			out = append(out, address)
		}
	}
	return out
}

func isWebAddress(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// A set is the values met so far. A listing may have a hundred thousand, and searching a slice for
// each would take minutes.
type set map[string]struct{}

// add reports whether s is new.
func (m set) add(s string) bool {
	n := len(m)
	m[s] = struct{}{}
	return len(m) > n
}

func nameOf(title, id string) string { return cmp.Or(title, id) }

// suffixes is how many lengths a SKU's suffix may have: a longer one is used where the shorter is
// taken, by chance or on purpose.
const suffixes = 4

// suffixed is a SKU with the n-th form of the variant's suffix: 6, 12, 24, 48 hexadecimal digits.
func suffixed(sku, id, variant string, n int) string {
	identity := append(binary.AppendUvarint(nil, uint64(len(id))), id+variant...)
	sum := sha256.Sum256(identity)
	return sku + "-" + hex.EncodeToString(sum[:3<<n])
}

// SKUs is every SKU that the variants of a reading may be given, by store.SKUKey: who holds them is
// asked of the store before a decision.
func (s *Settings) SKUs(pub *marketplace.Publication) (keys []string) {
	if pub == nil || pub.Listing == nil {
		return nil
	}
	for _, v := range pub.Listing.Variants {
		sku := line(v.SKU, maxLine)
		if sku == "" || v.ID == "" {
			continue
		}
		keys = append(keys, store.SKUKey(s.SKUPrefix+sku))
		for n := range suffixes {
			keys = append(keys, store.SKUKey(suffixed(s.SKUPrefix+sku, pub.ID, v.ID, n)))
		}
	}
	return keys
}

// label gives the variants the SKUs that they may use. owners says which publication holds which.
// A variant gets the one that it wants where no other holds it, else that with a suffix made of its
// own identity, which it keeps for as long as it wants the same. What a variant held, and wants no
// longer, is free for its siblings.
func label(p *shopadapter.Product, r Record, owners map[string]string) {
	held := make(map[string]string, len(r.Variants)) // by a sibling
	for _, v := range r.Variants {
		if v.SKU != "" && v.ID != "" {
			held[store.SKUKey(v.SKU)] = v.ID
		}
	}
	wants := make(map[string]string, len(p.Variants))
	for _, v := range p.Variants {
		wants[v.ID] = store.SKUKey(v.SKU)
	}
	given := make(map[string]string, len(p.Variants))
	free := func(sku, me string) bool {
		key := store.SKUKey(sku)
		if by, ok := given[key]; ok {
			return by == me
		}
		if owner := owners[key]; owner != "" && owner != r.ID {
			return false
		}
		by, ok := held[key]
		sibling := wants[by]
		return !ok || by == me || sibling == "" || key != sibling && !strings.HasPrefix(key, sibling+"-")
	}
	for i := range p.Variants {
		v := &p.Variants[i]
		want := v.SKU
		if want == "" || len(want) > store.MaxID {
			continue
		}
		if sku := suffixed(want, r.ID, v.ID, 0); held[store.SKUKey(want)] != v.ID && held[store.SKUKey(sku)] == v.ID &&
			free(sku, v.ID) {
			v.SKU = sku
		}
		for n := 0; !free(v.SKU, v.ID) && n < suffixes; n++ {
			v.SKU = suffixed(want, r.ID, v.ID, n)
		}
		given[store.SKUKey(v.SKU)] = v.ID
	}
}
