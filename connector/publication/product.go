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

const (
	detailGroups   = shopadapter.FieldBrand | shopadapter.FieldDetails
	mostDeliveries = 100 // groups of countries in a record
)

// wish takes in what the shop shall hold, or why it cannot.
func (s *Settings) wish(st *Step) {
	pub, l, r := st.in.Read, st.in.Read.Listing, st.rec
	st.awaited = s.awaitedLanguage(r, pub.Languages)
	st.Product = shopadapter.Product{
		ID: shopadapter.PublicationID(pub.ID), ListingID: l.ID, ProductID: l.ProductID, UpdatedAt: pub.UpdatedAt,
		Currency: s.Currency, Returns: short(l.Returns), Variants: []shopadapter.Variant{}, Options: []string{},
		Shipping: []shopadapter.Shipping{}, Images: []string{},
		Category: shopadapter.Category{
			Path: short(l.Category.Path), Name: short(l.Category.Name), Branch: branchOf(l.Category),
		},
	}
	seen := set{}
	for _, address := range l.Images {
		if isWebAddress(address) && seen.add(address) {
			st.Product.Images = append(st.Product.Images, address)
		}
	}
	for _, one := range l.Shipping {
		for _, text := range []*string{&one.CountryGroup, &one.FixedCosts, &one.VariableCosts, &one.EstimatedDays} {
			*text = short(*text)
		}
		st.Product.Shipping = append(st.Product.Shipping, shopadapter.Shipping(one))
	}
	if s.Details {
		st.Product.Brand, st.Product.Units = short(l.Brand), s.Units
	}
	s.texts(st, l)
	shown, untitled := mayShow(r), st.awaited == "" && st.Product.Title == ""
	if untitled {
		st.problem = shopadapter.Reject(
			"the listing has no title in any of the languages asked for (%s)", strings.Join(s.Languages, ", "))
	} else if _, lacks := s.Price.categoryOf(r.Terms); !shown {
		st.awaited = cmp.Or(st.awaited, lacks, s.skipsBlindly(r.Terms))
	}
	if st.awaited != "" || untitled && !isListed(r) { // what is on sale follows the supplier's figures
		return
	}
	if s.variants(st, l, r); untitled {
		return
	}
	none := len(st.Product.Variants) == 0
	for _, h := range st.holds {
		switch first := h.Kind == store.HoldFirstPrice; {
		case first && h.Stands() && (!shown || none):
			st.withheld, st.problem = true, nil
			return
		case first && h.Verdict == store.Declined && !shown && st.problem == nil: // a person wants no product without it
			st.problem = shopadapter.Reject("%s", keptOutText(h))
		}
	}
	if none && st.problem == nil {
		why := "none has an id"
		if len(st.Rows) > 0 {
			why = st.Rows[0].Refused
		}
		st.problem = shopadapter.Reject("no variant can be sold: %s", why)
	}
}

func (s *Settings) texts(st *Step, l *marketplace.Listing) {
	p := &st.Product
	p.Translations = map[string]shopadapter.Translation{}
	for _, lang := range s.Languages {
		text := l.Translations[lang]
		title := line(text.Title, maxTitle)
		if title == "" {
			continue
		}
		description := sanitize(cut(text.Description, MaxDescription))
		p.Translations[lang] = shopadapter.Translation{Title: title, Description: description}
		if p.Title == "" {
			p.Language, p.Title, p.Description = lang, title, description
		}
	}
}

// awaitedLanguage says why a publication waits for a language. A schema may lose one by mistake: until it is back, a
// product is not written in another. asked is nil where not known.
func (s *Settings) awaitedLanguage(r store.Record, asked []string) string {
	lost := asked != nil && !slices.Contains(asked, r.Language) && slices.Contains(s.Languages, r.Language)
	if r.WrittenAt == 0 || !lost {
		return ""
	}
	return fmt.Sprintf("the marketplace's schema lacks the language %s, in which this product was written: it stays "+
		"as it is until the language is back, or PUBSYNC_MARKETPLACE_LANGUAGES no longer names it", r.Language)
}

func branchOf(c marketplace.Category) (branch []shopadapter.Level) {
	for _, n := range c.Branch {
		level := shopadapter.Level{Path: short(n.Path), Name: short(n.Name)}
		if level.Path == "" || level.Name == "" {
			return nil
		}
		branch = append(branch, level)
	}
	return branch
}

// TermsOf returns the terms that rules go by. An unread part stays as in t, and so do the categories above an
// unchanged one.
func TermsOf(l *marketplace.Listing, t store.Terms) store.Terms {
	t.Known = true
	own, branch := short(l.Category.Path), branchOf(l.Category)
	same := len(t.Branch) > 0 && t.Branch[len(t.Branch)-1] == own
	if !slices.Contains(l.Unread, marketplace.UnreadCategory) && (len(branch) > 0 || own == "" || !same) {
		t.Branch, t.Rootless = nil, own != "" && len(branch) == 0
		for _, level := range branch {
			t.Branch = append(t.Branch, level.Path)
		}
		if t.Rootless {
			t.Branch = []string{own}
		}
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

var unreadGroups = map[string]shopadapter.Fields{
	marketplace.UnreadCategory: shopadapter.FieldCategory, marketplace.UnreadShipping: shopadapter.FieldShipping,
	marketplace.UnreadReturns: shopadapter.FieldShipping, marketplace.UnreadImages: shopadapter.FieldImages,
	marketplace.UnreadDetails: detailGroups, marketplace.UnreadEAN: shopadapter.FieldVariants,
}

// unknown returns the unread groups that the shop has from an earlier write: they stay as they are.
func (s *Settings) unknown(r store.Record, l *marketplace.Listing, st Step) (groups shopadapter.Fields) {
	if r.WrittenAt == 0 {
		return shopadapter.NoFields
	}
	if len(st.Product.Category.Branch) == 0 && len(r.Terms.Branch) > 0 && !r.Terms.Rootless {
		groups = shopadapter.FieldCategory // the same category, while the tree cannot be read
	}
	if !s.Details || !l.Details {
		groups |= detailGroups
	}
	for _, field := range l.Unread {
		if field != marketplace.UnreadEAN || len(st.Rows) == len(r.Variants) { // else some are new, or have left
			groups |= unreadGroups[field]
		}
	}
	return groups
}

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

// A set may hold a hundred thousand values: searching a slice would take minutes.
type set map[string]struct{}

func (m set) add(s string) bool {
	n := len(m)
	m[s] = struct{}{}
	return len(m) > n
}

func short(text string) string { return line(text, maxLine) }

// figures are the groups that are compared by numbers, and all others by a hash.
const figures = shopadapter.FieldPrice | shopadapter.FieldStock

// hashesOf makes hashes that records hold: another form of them writes every listing again.
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

// contentOf returns a hash which shows whether what was refused has changed, figures too. It is never 0.
func contentOf(rows []Row, sums map[shopadapter.Fields]uint64) uint64 {
	list := []any{sums}
	for _, row := range rows {
		w := row.Written
		list = append(list, []any{row.ID, w.Price, w.Cost, w.MSRP, w.Quantity, w.Backorders})
	}
	return max(hashOf(list...), 1)
}

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

// Bounds, in bytes, of what is stored of answers: well above what any was seen to use.
const (
	MaxIdent     = 1024
	MaxUpdatedAt = 100
	MaxAddress   = 4096
	MaxShopState = 1 << 20
)

func tooLong(what string, most int, texts ...string) string {
	for _, text := range texts {
		if len(text) > most {
			return fmt.Sprintf("%s of %d bytes, at most %d are taken", what, len(text), most)
		}
	}
	return ""
}

// Unkeepable returns why an adapter's answer cannot be kept: a part is too long, or its id or address shows a secret.
func Unkeepable(ref shopadapter.Ref, l shopadapter.Listing, secret func(string) bool) error {
	ids := []string{string(ref.Publication), string(ref.Listing), string(l.ID)}
	for _, v := range l.Variants {
		ids = append(ids, v.ShopID)
	}
	if why := cmp.Or(tooLong("an id", MaxIdent, ids...), tooLong("an address", MaxAddress, l.URL),
		tooLong("a state", MaxShopState, string(ref.State), string(l.State))); why != "" {
		return shopadapter.Block("the shop answers with %s", why)
	}
	if slices.ContainsFunc(append(ids[1:], l.URL), secret) {
		return shopadapter.Block("the shop's id or address for this product shows one of the secrets that it was sent: " +
			"it is not kept, since it would be told to others")
	}
	return nil
}
