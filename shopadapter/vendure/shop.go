package vendure

import (
	"cmp"
	"context"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/stamp"
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

type translation struct {
	LanguageCode string `json:"languageCode"`
	Name         string `json:"name"`
	Slug         string `json:"slug"`
	Description  string `json:"description"`
}

type facetValue struct {
	ID    string `json:"id"`
	Code  string `json:"code"`
	Facet struct {
		Code string `json:"code"`
	} `json:"facet"`
}

type optionGroup struct {
	ID           string        `json:"id"`
	Code         string        `json:"code"`
	Translations []translation `json:"translations"`
	Options      []option      `json:"options"`
}

type option struct {
	ID           string        `json:"id"`
	Code         string        `json:"code"`
	Translations []translation `json:"translations"`
}

type variant struct {
	ID             string        `json:"id"`
	SKU            string        `json:"sku"`
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

// expect compares the channel that answered with the one that was asked for: with a single channel
// Vendure answers any token with that one.
func (a *Adapter) expect(c channel) error {
	if a.channel != "" && c.Token != a.channel {
		return shopadapter.Block("there is no channel with the token in CHANNEL").Everywhere()
	}
	return nil
}

// A view is what one request tells before a write.
type view struct {
	channel   channel
	precision int32    // digits after the decimal point in an integer price
	product   *product // nil: there is none
	strays    []string // ids of drafts of the same publication that a lost call left behind
}

func (a *Adapter) readProduct(ctx context.Context, ref shopadapter.Ref) (view, error) {
	var answer struct {
		ActiveChannel  channel      `json:"activeChannel"`
		GlobalSettings serverConfig `json:"globalSettings"`
		Products       struct {
			Items []product `json:"items"`
		} `json:"products"`
	}
	if err := a.call(ctx, readDocument, map[string]any{"key": stamp.Key(ref.Publication)}, &answer); err != nil {
		return view{}, step.Within("read product", err)
	}
	if err := a.expect(answer.ActiveChannel); err != nil {
		return view{}, err
	}
	mine := own(answer.Products.Items, ref)
	v := view{channel: answer.ActiveChannel, precision: answer.GlobalSettings.ServerConfig.Precision}
	if len(mine) > 0 {
		v.product = mine[0]
		v.strays = strays(mine[1:])
	}
	return v, nil
}

// find is readProduct for a caller that only needs to know which product it is.
func (a *Adapter) find(ctx context.Context, ref shopadapter.Ref) (*product, error) {
	var answer struct {
		Products struct {
			Items []product `json:"items"`
		} `json:"products"`
	}
	if err := a.call(ctx, findDocument, map[string]any{"key": stamp.Key(ref.Publication)}, &answer); err != nil {
		return nil, step.Within("read product", err)
	}
	if mine := own(answer.Products.Items, ref); len(mine) > 0 {
		return mine[0], nil
	}
	return nil, nil
}

// own picks the products of the publication among those that the shop found. What a shop finds is
// not taken on trust: a database may compare without regard to case, and a duplicate made in the
// back office carries the stamp of another product. A stamp that somebody damaged makes a product
// no less ours, since making a second one would be worse; only its texts then count as the
// merchant's. There is one, as a rule. Of several the first is the one to go on with: one that was
// finished, then the one of the hint, then the oldest.
func own(found []product, ref shopadapter.Ref) []*product {
	var mine []*product
	for i := range found {
		p := &found[i]
		if p.CustomFields.PubsyncID == nil || *p.CustomFields.PubsyncID != stamp.Key(ref.Publication) {
			continue
		}
		if s := readStamp(p.CustomFields.PubsyncStamp); s.complete() && s.Product != p.ID {
			continue
		}
		mine = append(mine, p)
	}
	rank := func(p *product) int {
		switch {
		case readStamp(p.CustomFields.PubsyncStamp).complete():
			return 0
		case p.ID == string(ref.Listing):
			return 1
		}
		return 2
	}
	slices.SortStableFunc(mine, func(p, q *product) int { return cmp.Compare(rank(p), rank(q)) })
	return mine
}

// strays are the drafts among products that only a lost call can have made: hidden, unfinished, and
// in the words of their stamp. A shop that worked on a call after its caller had given up, and the
// caller's second try, leave one each.
func strays(others []*product) []string {
	var ids []string
	for _, p := range others {
		s := readStamp(p.CustomFields.PubsyncStamp)
		if s.ID != "" && !s.complete() && !p.Enabled && s.unedited(p.Translations) {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// slugOf is the slug in a language, or in any where that is missing; "" when there is none.
func slugOf(rows []translation, language string) string {
	if t := rowIn(rows, language); t != nil {
		return t.Slug
	}
	if len(rows) > 0 {
		return rows[0].Slug
	}
	return ""
}

// rowIn is the row of a language, nil when there is none.
func rowIn(rows []translation, language string) *translation {
	if i := slices.IndexFunc(rows, func(t translation) bool { return t.LanguageCode == language }); i >= 0 {
		return &rows[i]
	}
	return nil
}
