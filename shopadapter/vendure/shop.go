package vendure

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/skeleton"
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
	Name  string `json:"name"`
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
	precision int32                  // digits after the decimal point in an integer price
	products  []*product             // that carry the publication's key, or have lost it
	details   map[string]customField // that details of a variant go to
}

func (a *Adapter) read(
	ctx context.Context,
	document string,
	ref shopadapter.Ref,
	variables map[string]any,
) (v view, err error) {
	var answer struct {
		ActiveChannel  channel      `json:"activeChannel"`
		GlobalSettings serverConfig `json:"globalSettings"`
		Products       struct {
			Items []product `json:"items"`
		} `json:"products"`
	}
	all := map[string]any{"key": stamp.Key(ref.Publication)}
	maps.Copy(all, variables)
	if err = a.call(ctx, document, all, &answer); err != nil {
		return v, step.Within("read product", err)
	}
	v = view{
		answer.ActiveChannel, answer.GlobalSettings.ServerConfig.Precision, own(answer.Products.Items, ref.Publication),
		detailFields(answer.GlobalSettings.ServerConfig.Declared),
	}
	if len(v.products) == 0 {
		p, err := a.lost(ctx, ref)
		if p == nil {
			return v, err
		}
		v.products = append(v.products, p)
	}
	return v, nil
}

// own picks the products of the publication among those that the shop found. What a shop finds is
// not taken on trust: a database may compare without regard to case, and a duplicate made in the
// back office carries the stamp of another product. A stamp that somebody damaged makes a product
// no less ours, since making a second one would be worse; only its texts then count as the
// merchant's.
func own(found []product, publication shopadapter.PublicationID) (mine []*product) {
	for i := range found {
		p := &found[i]
		if p.key() != stamp.Key(publication) {
			continue
		}
		if s := p.stamp(); !s.Complete() || s.Original(p.ID) {
			mine = append(mine, p)
		}
	}
	return mine
}

func (p *product) stamp() productStamp { return readStamp(p.CustomFields.PubsyncStamp) }

// candidate is what tells the product of a publication from the drafts of late creations.
func (p *product) candidate() skeleton.Candidate {
	s := p.stamp()
	return skeleton.Candidate{
		ID: p.ID, Complete: s.Complete(), Untouched: s.ID != "" && !p.Enabled && s.unedited(p.Translations),
	}
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
