package publication

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
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
	Product shopadapter.Product
	Rows    []Row // every variant that was decided upon, with the supplier's figures

	holds   []store.Hold
	terms   store.Terms
	unread  []string           // the parts that could not be read
	cut     string             // says that the description was cut, "" where it was not
	awaited string             // why it is not known yet what the shop shall hold, "" where it is
	problem *shopadapter.Error // why there is nothing to sell, nil where there is

	placed   bool // the branch of its category is known, or the category is another than before
	untitled bool // the problem is that it has no title yet
	withheld bool // a brake holds the whole product: the shop is left as it is
}

const (
	policyContinue = "CONTINUE" // the supplier takes orders beyond the stock
	noAmount       = "?"        // replaces a figure that is no amount, and makes no price under any rule
	detailGroups   = shopadapter.FieldBrand | shopadapter.FieldDetails
	mostDeliveries = 100 // groups of countries whose costs a record keeps
)

// wish maps a listing that has variants.
func (s *Settings) wish(pub *marketplace.Publication, r store.Record, now time.Time) wish {
	l := pub.Listing
	w := wish{terms: termsOf(l, r.Terms), unread: l.Unread}
	w.Product = shopadapter.Product{
		ID: shopadapter.PublicationID(pub.ID), ListingID: l.ID, ProductID: l.ProductID, UpdatedAt: pub.UpdatedAt,
		Currency: s.Currency, Returns: short(l.Returns), Variants: []shopadapter.Variant{}, Options: []string{},
		Shipping: []shopadapter.Shipping{}, Images: []string{},
	}
	seen := set{}
	for _, address := range l.Images {
		if isWebAddress(address) && seen.add(address) {
			w.Product.Images = append(w.Product.Images, address)
		}
	}
	if s.Details {
		w.Product.Brand, w.Product.Units = short(l.Brand), s.Units
	}
	s.texts(&w, l)
	w.placed = w.category(l.Category, r.Terms)
	for _, one := range l.Shipping {
		w.Product.Shipping = append(w.Product.Shipping, shopadapter.Shipping{
			CountryGroup: short(one.CountryGroup), FixedCosts: short(one.FixedCosts),
			VariableCosts: short(one.VariableCosts), EstimatedDays: short(one.EstimatedDays),
		})
	}
	if w.awaited = s.awaitedLanguage(r, pub.Languages); w.awaited != "" {
		return w
	}
	if w.Product.Title == "" {
		w.untitled = true
		w.problem = shopadapter.Reject(
			"the listing has no title in any of the languages asked for (%s)", strings.Join(s.Languages, ", "),
		)
	} else if _, lacks := s.Price.categoryOf(w.terms); !mayShow(r) {
		w.awaited = cmp.Or(lacks, s.skipsBlindly(w.terms))
	}
	if w.awaited != "" || w.untitled && !isListed(r) { // what is on sale follows the supplier's figures
		return w
	}
	s.variants(&w, l, r, now)
	first := func(stands bool) int {
		return slices.IndexFunc(w.holds, func(h store.Hold) bool {
			return h.Kind == store.HoldFirstPrice && (stands && h.Stands() || !stands && h.Verdict == store.Declined)
		})
	}
	none := len(w.Product.Variants) == 0
	switch no := first(false); {
	case w.untitled:
	case first(true) >= 0 && (!mayShow(r) || none):
		w.withheld = true
	case no >= 0 && !mayShow(r): // nobody wants the product that was never on sale with that variant
		w.problem = shopadapter.Reject("%s", keptOutText(w.holds[no]))
	case none:
		why := "none has an id"
		if i := slices.IndexFunc(w.Rows, func(row Row) bool { return row.Refused != "" }); i >= 0 {
			why = w.Rows[i].Refused
		}
		w.problem = shopadapter.Reject("no variant can be sold: %s", why)
	}
	return w
}

func (s *Settings) texts(w *wish, l *marketplace.Listing) {
	p := &w.Product
	p.Translations = map[string]shopadapter.Translation{}
	for _, lang := range s.Languages {
		t := l.Translations[lang]
		title := line(t.Title, maxTitle)
		if title == "" {
			continue
		}
		description := cut(t.Description, MaxDescription)
		if from, to := len(t.Description), len(description); to < from && w.cut == "" {
			w.cut = fmt.Sprintf(
				"the description is cut from %d to %d KB, which is what shops take", (from+1023)>>10, (to+1023)>>10)
		}
		p.Translations[lang] = shopadapter.Translation{Title: title, Description: sanitize(description)}
		if p.Title == "" {
			p.Language, p.Title, p.Description = lang, title, p.Translations[lang].Description
		}
	}
}

// awaitedLanguage is why a publication waits for a language, "" where it does not. asked is those that
// were asked for, nil where that is not known. A schema may lose a language by mistake: while the one
// that a product was written in is missing, it is not written in another.
func (s *Settings) awaitedLanguage(r store.Record, asked []string) string {
	lost := asked != nil && !slices.Contains(asked, r.Language) && slices.Contains(s.Languages, r.Language)
	if r.WrittenAt == 0 || !lost {
		return ""
	}
	return fmt.Sprintf("the marketplace's schema lacks the language %s, in which this product was written: it stays "+
		"as it is until the language is back, or PUBSYNC_MARKETPLACE_LANGUAGES no longer names it", r.Language)
}

// category is the listing's category. It reports whether its branch is known, or the category is
// another than before: while the tree cannot be read, the same category is no change.
func (w *wish) category(c marketplace.Category, before store.Terms) (known bool) {
	p := &w.Product.Category
	p.Path, p.Name = short(c.Path), short(c.Name)
	for _, n := range c.Branch {
		level := shopadapter.Level{Path: short(n.Path), Name: short(n.Name)}
		if level.Path == "" || level.Name == "" {
			p.Branch = nil
			break
		}
		p.Branch = append(p.Branch, level)
	}
	was := before.Branch
	return len(p.Branch) > 0 || before.Rootless || len(was) == 0 || was[len(was)-1] != p.Path
}

// unknown is the groups that could not be read and that the shop has from an earlier write: they are
// left as they are. A new listing is made of what could be read.
func (s *Settings) unknown(r store.Record, l *marketplace.Listing, w wish) (groups shopadapter.Fields) {
	if r.WrittenAt == 0 {
		return shopadapter.NoFields
	}
	if !w.placed {
		groups |= shopadapter.FieldCategory
	}
	if !s.Details || !l.Details || slices.Contains(l.Unread, marketplace.UnreadDetails) {
		groups |= detailGroups
	}
	for _, field := range l.Unread {
		groups |= map[string]shopadapter.Fields{
			marketplace.UnreadCategory: shopadapter.FieldCategory, marketplace.UnreadShipping: shopadapter.FieldShipping,
			marketplace.UnreadReturns: shopadapter.FieldShipping, marketplace.UnreadImages: shopadapter.FieldImages,
		}[field]
		if field == marketplace.UnreadEAN && sameVariants(w.Product.Variants, r.Variants) {
			groups |= shopadapter.FieldVariants
		}
	}
	return groups
}

// sameVariants reports whether variants are those last written, by all that the record has of them but
// their figures.
func sameVariants(variants []shopadapter.Variant, written []store.Variant) bool {
	written = slices.DeleteFunc(slices.Clone(written), func(v store.Variant) bool { return !isInShop(v) })
	at := placesOf(written, variantID)
	return len(variants) == len(at) && !slices.ContainsFunc(variants, func(v shopadapter.Variant) bool {
		i, had := at[v.ID]
		return !had || written[i].Title != v.Title || written[i].SKU != v.SKU
	})
}

// TermsOf are the supplier's terms of a listing of which nothing is recorded.
func TermsOf(l *marketplace.Listing) store.Terms { return termsOf(l, store.Terms{}) }

// termsOf are the supplier's terms that rules go by. A part that could not be read is as it was read
// last, and so are the categories above the same category.
func termsOf(l *marketplace.Listing, t store.Terms) store.Terms {
	own, was := short(l.Category.Path), t.Branch
	t.Known = true
	switch {
	case slices.Contains(l.Unread, marketplace.UnreadCategory):
	case own == "" || len(l.Category.Branch) > 0:
		t.Branch, t.Rootless = nil, false
		for _, n := range l.Category.Branch {
			if own != "" {
				t.Branch = append(t.Branch, short(n.Path))
			}
		}
	case len(was) == 0 || was[len(was)-1] != own:
		t.Branch, t.Rootless = []string{own}, true
	}
	if slices.Contains(l.Unread, marketplace.UnreadShipping) {
		return t
	}
	t.Delivery = nil
	for _, d := range l.Shipping[:min(len(l.Shipping), mostDeliveries)] {
		t.Delivery = append(t.Delivery, store.Delivery{
			Group: short(d.CountryGroup), Costs: figureText(d.FixedCosts), Days: short(d.EstimatedDays),
		})
	}
	return t
}

// details are a variant's: its own, and the product's size and weight where it has none.
func details(l *marketplace.Listing, v marketplace.Variant) shopadapter.Details {
	var own marketplace.Details
	if v.SKU != "" {
		own = l.BySKU[v.SKU]
	}
	of := func(figures ...string) string {
		for _, figure := range figures {
			if strings.Trim(figure, "0. ") != "" { // nothing weighs 0
				return short(figure)
			}
		}
		return ""
	}
	words := func(list []string) (out []string) {
		for _, word := range list {
			if word = short(word); word != "" {
				out = append(out, word)
			}
		}
		return out
	}
	if _, err := time.Parse(time.DateOnly, own.AvailableAt); err != nil {
		own.AvailableAt = ""
	}
	return shopadapter.Details{
		Weight: of(own.Weight, l.Size.Weight), Length: of(own.Length, l.Size.Length),
		Width: of(own.Width, l.Size.Width), Height: of(own.Height, l.Size.Height),
		Diameter: of(own.Diameter, l.Size.Diameter), Volume: of(own.Volume, l.Size.Volume),
		Origin: of(own.MadeIn), LeadTime: of(own.LeadTime), AvailableAt: own.AvailableAt,
		Tags: words(own.Tags), Materials: words(own.Materials), CaseQuantity: of(own.CaseQuantity),
	}
}

func isWebAddress(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// A set is the values met so far. A listing may have a hundred thousand, and searching a slice for
// each would take minutes.
type set map[string]struct{}

func (m set) add(s string) bool {
	n := len(m)
	m[s] = struct{}{}
	return len(m) > n
}

func short(text string) string { return line(text, maxLine) }

func nameOf(title, id string) string { return cmp.Or(title, id) }

// figures are the groups that are compared by their numbers, which the record holds for each
// variant. All others are compared by one hash a group.
const figures = shopadapter.FieldPrice | shopadapter.FieldStock

// hashesOf is the hash of each group of a product but its figures, whether it is known or not. A
// variant that is added or removed changes the group variants and no other.
func hashesOf(p shopadapter.Product) map[shopadapter.Fields]uint64 {
	titles, descriptions := map[string]string{}, map[string]string{}
	for lang, t := range p.Translations {
		titles[lang], descriptions[lang] = t.Title, t.Description
	}
	var variants, details [][]any
	for _, v := range p.Variants {
		variants = append(variants, []any{v.ID, v.Title, v.SKU, v.EAN, v.Options})
		if len(v.Details.List()) > 0 {
			details = append(details, []any{v.ID, p.Units, v.Details})
		}
	}
	return map[shopadapter.Fields]uint64{
		shopadapter.FieldTitle:       hashOf(p.Language, p.Title, titles),
		shopadapter.FieldDescription: hashOf(p.Language, p.Description, descriptions),
		shopadapter.FieldImages:      hashOf(p.Images),
		shopadapter.FieldCategory:    hashOf(p.Category),
		shopadapter.FieldVariants:    hashOf(p.Options, variants),
		shopadapter.FieldShipping:    hashOf(p.Returns, p.Shipping),
		shopadapter.FieldBrand:       hashOf(p.Brand),
		shopadapter.FieldDetails:     hashOf(details),
	}
}

// contentOf is one hash of all that is wanted, figures too, which shows whether what was refused has
// changed. It is never 0.
func contentOf(rows []Row, sums map[shopadapter.Fields]uint64) uint64 {
	list := []any{sums}
	for _, row := range rows {
		w := row.Written
		list = append(list, []any{row.ID, w.Price, w.Cost, w.MSRP, w.Quantity, w.Backorders})
	}
	return max(hashOf(list...), 1)
}

// hashOf is a hash of values. Equal ones have equal hashes.
func hashOf(values ...any) uint64 {
	sum := sha256.Sum256([]byte(text(values)))
	return binary.BigEndian.Uint64(sum[:])
}

func text(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // cannot be: decimals, numbers and strings have a text
	}
	return string(data)
}

// The bounds, in bytes, of what is stored of a marketplace's or shop's answers: well above what any
// was seen to use. An entry or an answer beyond them is refused with a reason.
const (
	MaxIdent     = 1024
	MaxUpdatedAt = 100
	MaxAddress   = 4096
	MaxShopState = 1 << 20
)

// tooLong says that a part of an answer is longer than is kept, "" where it is not.
func tooLong(what string, has, most int) string {
	if has <= most {
		return ""
	}
	return fmt.Sprintf("%s of %d bytes, at most %d are taken", what, has, most)
}

// overlong names the part of a publication's content that is too long to be kept, "" for none.
func overlong(pub *marketplace.Publication) string {
	l, longest := pub.Listing, 0
	for _, v := range l.Variants {
		longest = max(longest, len(v.ID))
	}
	return cmp.Or(
		tooLong("an updatedAt", len(pub.UpdatedAt), MaxUpdatedAt), tooLong("a status", len(pub.Status), MaxUpdatedAt),
		tooLong("a product address", len(pub.ProductURL), MaxAddress), tooLong("a listing's id", len(l.ID), MaxIdent),
		tooLong("a product's id", len(l.ProductID), MaxIdent), tooLong("a variant's id", longest, MaxIdent),
	)
}

// OverlongEntry names the part of an entry of the list that is too long to be kept, "" for none.
func OverlongEntry(e marketplace.Entry) string {
	return cmp.Or(tooLong("an id", len(e.ID), MaxIdent), tooLong("an updatedAt", len(e.UpdatedAt), MaxUpdatedAt),
		tooLong("a status", len(e.Status), MaxUpdatedAt))
}

// OverlongListed names the part of a listing in the shop that is too long to be kept, "" for none.
// No listing that pubsync made has such a part.
func OverlongListed(l shopadapter.Listed) string {
	return cmp.Or(tooLong("an id", max(len(l.Ref.Publication), len(l.Ref.Listing)), MaxIdent),
		tooLong("an address", len(l.URL), MaxAddress), tooLong("a state", len(l.Ref.State), MaxShopState))
}

// Unkeepable is why an adapter's answer cannot be kept, nil where it can. One of its parts is too
// long, or its id or address shows a secret: the merchant must mend the shop.
func Unkeepable(l shopadapter.Listing, secret func(string) bool) error {
	shown, longest := []string{string(l.ID), l.URL}, 0
	for _, v := range l.Variants {
		shown, longest = append(shown, v.ShopID), max(longest, len(v.ShopID))
	}
	if why := cmp.Or(tooLong("an id", len(l.ID), MaxIdent), tooLong("an address", len(l.URL), MaxAddress),
		tooLong("a state", len(l.State), MaxShopState), tooLong("a variant's id", longest, MaxIdent)); why != "" {
		return shopadapter.Block("the shop answers with %s", why)
	}
	if slices.ContainsFunc(shown, secret) {
		return shopadapter.Block("the shop's id or address for this product shows one of the secrets that it was sent: " +
			"it is not kept, since it would be told to others")
	}
	return nil
}
