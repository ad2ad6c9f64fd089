package vendure

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// A product is one as the shop answers it.
type product struct {
	ID            string        `json:"id"`
	Enabled       bool          `json:"enabled"`
	CustomFields  customFields  `json:"customFields"`
	Translations  []translation `json:"translations"`
	FeaturedAsset *node         `json:"featuredAsset"`
	Assets        []node        `json:"assets"`
	FacetValues   []facetValue  `json:"facetValues"`
	OptionGroups  []optionGroup `json:"optionGroups"`
	Variants      []variant     `json:"variants"`
}

type customFields struct {
	PubsyncID    *string `json:"pubsyncId"`
	PubsyncStamp *string `json:"pubsyncStamp"`
}

type node struct {
	ID string `json:"id"`
}

// A list is a page of what the shop has.
type list[T any] struct {
	Items []T `json:"items"`
}

type translation struct {
	LanguageCode string `json:"languageCode"`
	Name         string `json:"name"`
	Slug         string `json:"slug"`
	Description  string `json:"description"`
}

type facetValue struct {
	ID    string `json:"id"`
	Code  string `json:"code"`
	Name  string `json:"name"`
	Facet facet  `json:"facet"`
}

type facet struct {
	ID     string       `json:"id"`
	Code   string       `json:"code"`
	Values []facetValue `json:"values"`
}

type optionGroup struct {
	ID           string        `json:"id"`
	Code         string        `json:"code"`
	Translations []translation `json:"translations"`
	Options      []option      `json:"options"`
}

type option struct {
	ID   string `json:"id"`
	Code string `json:"code"`
}

type variant struct {
	ID             string        `json:"id"`
	SKU            string        `json:"sku"`
	Enabled        bool          `json:"enabled"`
	TrackInventory string        `json:"trackInventory"`
	Threshold      int           `json:"outOfStockThreshold"`
	UseGlobal      bool          `json:"useGlobalOutOfStockThreshold"`
	CustomFields   customFields  `json:"customFields"`
	Translations   []translation `json:"translations"`
	Prices         []price       `json:"prices"`
	StockLevels    []stockLevel  `json:"stockLevels"`
	Options        []node        `json:"options"`
}

type price struct {
	Price        int64  `json:"price"`
	CurrencyCode string `json:"currencyCode"`
}

type stockLevel struct {
	StockOnHand int `json:"stockOnHand"`
	Location    struct {
		ID        string    `json:"id"`
		CreatedAt time.Time `json:"createdAt"`
	} `json:"stockLocation"`
}

// A channel is what the adapter has to know about where it sells.
type channel struct {
	Token      string   `json:"token"`
	Language   string   `json:"defaultLanguageCode"`
	Languages  []string `json:"availableLanguageCodes"`
	Currency   string   `json:"defaultCurrencyCode"`
	DefaultTax *node    `json:"defaultTaxZone"`
	Inclusive  *bool    `json:"pricesIncludeTax"`
}

// globalSettings are those of the whole server. The first two count for a variant without its own.
type globalSettings struct {
	Tracks       bool `json:"trackInventory"`
	Threshold    int  `json:"outOfStockThreshold"`
	ServerConfig struct {
		Precision int32          `json:"moneyStrategyPrecision"` // digits after the decimal point in an integer price
		Declared  []entityFields `json:"entityCustomFields"`
	} `json:"serverConfig"`
}

// A view is what one request tells of the shop and of some products.
type view struct {
	Channel channel        `json:"activeChannel"`
	Global  globalSettings `json:"globalSettings"`
	List    list[product]  `json:"products"`
}

// expect compares the channel that answered with the one that was asked for: with a single channel
// Vendure answers any token with that one.
func (a *Adapter) expect(c channel) error {
	if a.set.Channel != "" && c.Token != a.set.Channel {
		return noChannel()
	}
	return nil
}

// prices is how prices are entered in the channel.
func (a *Adapter) prices(v view) (shopadapter.Prices, error) {
	var adds *bool
	if v.Channel.Inclusive != nil {
		without := !*v.Channel.Inclusive
		adds = &without
	}
	return shopadapter.ChoosePrices(Name, a.set.Prices, a.vat, int(v.Global.ServerConfig.Precision), adds)
}

// read is what one of the documents that ask by the publication's key tells, and the products of the
// publication among those found. Where there is none, it may have lost its key.
func (a *Adapter) read(
	ctx context.Context, document string, ref shopadapter.Ref, variables input,
) (v view, products []*product, err error) {
	variables["key"] = kit.Key(ref.Publication)
	if err = a.call(ctx, document, variables, &v); err != nil {
		return v, nil, err
	}
	for i := range v.List.Items {
		if p := &v.List.Items[i]; p.own(ref.Publication) {
			products = append(products, p)
		}
	}
	if len(products) == 0 && ref.Listing != "" {
		lost, err := a.lost(ctx, ref)
		if lost == nil {
			return v, nil, err
		}
		products = append(products, lost)
	}
	return v, products, nil
}

// lost is the product that a ref points to, where it was made for the publication, is on sale, and
// somebody cleared its pubsyncId; nil where there is none. It is an error until a person asks for
// the product.
func (a *Adapter) lost(ctx context.Context, ref shopadapter.Ref) (*product, error) {
	var answer struct {
		Product *product `json:"product"`
	}
	if err := a.call(ctx, lostDocument, input{"id": ref.Listing}, &answer); err != nil {
		return nil, err
	}
	p := answer.Product
	if p == nil || p.key() != "" || !p.Enabled {
		return nil, nil
	}
	n := p.note()
	if string(ref.State) != p.ID && !(n.complete() && n.Owns(string(ref.Publication), p.ID)) {
		return nil, nil
	}
	if ref.Revive {
		return p, nil
	}
	called := p.ID
	if len(p.Translations) > 0 {
		called += " «" + p.Translations[0].Name + "»"
	}
	return nil, shopadapter.Block("product %s is its listing, and the mark of pubsync was deleted from it, so it is left "+
		"as it is: `pubsync retry %s` takes it back", a.wire.Clean(called), ref.Publication)
}

// own reports whether a product that the shop found by the key is the publication's. A database may
// compare without regard to case, and a duplicate made in the back office carries the note of another
// product. A damaged note makes a product no less ours: a second one beside it would be worse.
func (p *product) own(publication shopadapter.PublicationID) bool {
	n := p.note()
	return p.key() == kit.Key(publication) && (!n.complete() || n.Original(p.ID))
}

// key is what the product holds in pubsyncId, "" for nothing.
func (p *product) key() string { return *cmp.Or(p.CustomFields.PubsyncID, new(string)) }

func (p *product) note() note { return readNote(p.CustomFields.PubsyncStamp) }

// candidate is what tells the product of a publication from the drafts of late creations.
func (p *product) candidate() kit.Candidate {
	n := p.note()
	return kit.Candidate{
		ID: p.ID, Complete: n.complete(), Untouched: n.ID != "" && !p.Enabled && n.unedited(p.Translations),
	}
}

// shown are the ids of the product's assets, the featured one first; it is not always among the
// others.
func (p *product) shown() (ids []string) {
	for _, one := range p.Assets {
		ids = append(ids, one.ID)
	}
	if f := p.FeaturedAsset; f != nil && (len(ids) == 0 || ids[0] != f.ID) {
		ids = append([]string{f.ID}, ids...)
	}
	return ids
}

// url is the address of the product's page: by the slug in a language, or in any where that is
// missing; "" when there is none.
func (a *Adapter) url(rows []translation, language string) string {
	slug := ""
	if t := rowIn(rows, language); t != nil {
		slug = t.Slug
	} else if len(rows) > 0 {
		slug = rows[0].Slug
	}
	return a.storefront.Page(slug)
}

// rowIn is the row of a language, nil when there is none.
func rowIn(rows []translation, language string) *translation {
	if i := slices.IndexFunc(rows, func(t translation) bool { return t.LanguageCode == language }); i >= 0 {
		return &rows[i]
	}
	return nil
}
