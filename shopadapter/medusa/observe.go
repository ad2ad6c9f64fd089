package medusa

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/each"
	"github.com/pubsync/pubsync/shopadapter/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/skeleton"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

const (
	observedPage = 100 // products that one request reads
	observedRefs = 50  // keys that the address of a request names, of a hundred characters at most
)

// List ranges over the products that carry this adapter's stamp, a hundred in one request, and
// their translations in another.
func (a *Adapter) List(ctx context.Context, what shopadapter.Query) iter.Seq2[shopadapter.Listed, error] {
	return skeleton.Reader{All: a.observeAll, Some: a.observeSome, Size: observedRefs}.List(ctx, what)
}

func (a *Adapter) observeAll(ctx context.Context) iter.Seq2[shopadapter.Listed, error] {
	return skeleton.Pages(observedPage, func(skip, size int) ([]shopadapter.Listed, int, error) {
		return a.observePage(ctx, query{"limit": strconv.Itoa(size), "offset": strconv.Itoa(skip)})
	})
}

// observeSome finds products by the publications' keys.
func (a *Adapter) observeSome(ctx context.Context, refs []shopadapter.Ref) ([]shopadapter.Listed, error) {
	const twice = 2 // late creations leave drafts with the same key
	q := query{"limit": strconv.Itoa(twice * len(refs))}
	for i, ref := range refs {
		q[fmt.Sprintf("external_id[%d]", i)] = stamp.Key(ref.Publication)
	}
	list, _, err := a.observePage(ctx, q)
	return list, err
}

// A sight is the answer to an observation: no more than it tells of.
type sight struct {
	Products []seenProduct `json:"products"`
}

type seenProduct struct {
	texts
	sizes
	Thumbnail  string        `json:"thumbnail"`
	Images     []image       `json:"images"`
	Categories []category    `json:"categories"`
	Variants   []seenVariant `json:"variants"`
}

type seenVariant struct {
	sizes
	Metadata   metadata `json:"metadata"`
	ID         string   `json:"id"`
	SKU        string   `json:"sku"`
	Managed    bool     `json:"manage_inventory"`
	Backorders bool     `json:"allow_backorder"`
	Prices     []price  `json:"prices"`
	Inventory  []struct {
		Item struct {
			Levels []level `json:"location_levels"`
		} `json:"inventory"`
	} `json:"inventory_items"`
}

// observePage reads the products that a query names.
func (a *Adapter) observePage(ctx context.Context, q query) (list []shopadapter.Listed, length int, err error) {
	s, err := a.shop.Get(ctx, false)
	if err != nil {
		return nil, 0, err
	}
	q["order"], q["fields"] = "id", rest.Fields[seenProduct]()
	got, err := rest.API[sight]{Client: a.api.Client, Judge: a.api.Judge}.Get(ctx, "observe products", "products", q)
	if err != nil {
		return nil, 0, err
	}
	var notes []note
	for _, seen := range got.Products {
		p := &product{
			texts: seen.texts, sizes: seen.sizes, Thumbnail: seen.Thumbnail, Images: seen.Images, Categories: seen.Categories,
		}
		n, ours := p.note()
		if !ours {
			continue
		}
		o := a.listed(p, n, s.channel)
		s.observed(&o, p, n)
		o.Compared, o.Edited = p.compareDetails(n, seen.Variants, o.Compared, o.Edited)
		for _, v := range seen.Variants {
			o.Variants = append(o.Variants, s.seen(v))
		}
		list, notes = append(list, o), append(notes, n)
	}
	return list, len(got.Products), a.observeTranslations(ctx, s, list, notes)
}

// observed is what the product itself tells.
func (s shop) observed(o *shopadapter.Listed, p *product, n note) {
	o.Images, o.Variants = len(p.shown()), []shopadapter.ListedVariant{}
	if !n.Complete() {
		return
	}
	c := stamp.Comparison{Unsure: n.Pending}
	c.CompareText(shopadapter.FieldTitle, p.Translation, n.Text)
	c.Compare(shopadapter.FieldImages, stamp.HashList(p.shown()), n.Images)
	c.Compare(shopadapter.FieldCategory, stamp.HashList(p.categories()), n.Category)
	o.Compared, o.Edited = c.Compared, c.Edited
}

// compareDetails adds what the product and its variants tell of brand and details. What a size of
// the product itself holds counts only where the adapter wrote it: storefronts show it, and the
// variants have them all.
func (p *product) compareDetails(
	n note, variants []seenVariant, compared, edited shopadapter.Fields,
) (shopadapter.Fields, shopadapter.Fields) {
	if !n.Complete() {
		return compared, edited
	}
	c := stamp.Comparison{Compared: compared, Edited: edited}
	c.CompareDetails(
		shopadapter.FieldBrand, map[string]string{brandMark: p.Metadata.whole(brandMark)}, n.Details,
	)
	held := p.sizes.held()
	maps.DeleteFunc(held, func(name, _ string) bool { return n.Details[name] == "" })
	c.CompareDetails(shopadapter.FieldDetails, held, n.Details)
	for _, v := range variants {
		if v.Metadata.text(mark) == "" {
			continue // the merchant's own
		}
		last := stamp.Details{}
		_ = json.Unmarshal([]byte(v.Metadata.text(detailMark)), &last) // somebody's own text is no note
		one := variant{sizes: v.sizes, Metadata: v.Metadata}
		c.CompareDetails(shopadapter.FieldDetails, one.details(), last)
	}
	return c.Compared, c.Edited
}

// seen is a variant as it stands. Medusa has no switch
// for a single variant. It subtracts its own reservations from the stocked quantity as it sells,
// and a write does not add them.
func (s shop) seen(v seenVariant) shopadapter.ListedVariant {
	variant := shopadapter.ListedVariant{
		ShopID: v.ID, SKU: v.SKU, Uncounted: !v.Managed, Backorders: v.Backorders, OnSale: true,
	}
	if amount := base(v.Prices, s.currency); amount != nil {
		variant.Price = s.prices.Shown(string(amount.Amount))
	}
	if !v.Managed || len(v.Inventory) == 0 {
		return variant
	}
	for _, l := range v.Inventory[0].Item.Levels {
		if stocked, err := l.Stocked.Float64(); err == nil && l.Location == s.location {
			variant.Quantity = int(stocked)
		}
	}
	return variant
}

// observeTranslations adds what the translations of a page's products tell. notes are the stamps of
// the products, in their order.
func (a *Adapter) observeTranslations(
	ctx context.Context,
	s shop,
	list []shopadapter.Listed,
	notes []note,
) error {
	if len(s.locales) == 0 || !slices.ContainsFunc(notes, func(n note) bool { return len(n.Translations) > 0 }) {
		return nil
	}
	ids := each.Of(list, func(o shopadapter.Listed) string { return string(o.Ref.Listing) })
	held, err := a.translationsOf(ctx, ids...)
	for i := range list {
		c := stamp.Comparison{Compared: list[i].Compared, Edited: list[i].Edited, Unsure: notes[i].Pending}
		for _, t := range held {
			if last := notes[i].Translations[t.Locale]; t.Of == ids[i] && last != nil && notes[i].Complete() {
				c.CompareText(shopadapter.FieldDescription, t.Texts, *last)
			}
		}
		list[i].Compared, list[i].Edited = c.Compared, c.Edited
	}
	return err
}
