package config

import (
	"reflect"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

// Settings is every variable of the connector itself; the adapters add theirs. The type of a field
// checks the value. config.example.env is made from the tags and from meanings.
type Settings struct {
	MarketplaceURL       shopadapter.URL      `env:"MARKETPLACE_URL" group:"Marketplace"`
	MarketplaceToken     string               `env:"MARKETPLACE_TOKEN" secret:"true" of:"account"`
	MarketplaceForms     forms                `env:"MARKETPLACE_FORMS"`
	MarketplaceLanguages languages            `env:"MARKETPLACE_LANGUAGES, default=en,nl" rules:"content"`
	MarketplaceCurrency  shopadapter.Currency `env:"MARKETPLACE_CURRENCY, default=EUR"`

	ProductDetails           details       `env:"PRODUCT_DETAILS, default=on" rules:"content" group:"What is read"`
	MarketplaceWeightUnit    weightUnit    `env:"MARKETPLACE_WEIGHT_UNIT, default=kg" rules:"content"`
	MarketplaceDimensionUnit dimensionUnit `env:"MARKETPLACE_DIMENSION_UNIT, default=cm" rules:"content"`
	ImageSize                pixels        `env:"IMAGE_SIZE, default=1200"`
	ImageMethod              imageMethod   `env:"IMAGE_METHOD"`

	OAuthClientID     string          `env:"OAUTH_CLIENT_ID" group:"Public app, in the place of PUBSYNC_MARKETPLACE_TOKEN"`
	OAuthClientSecret string          `env:"OAUTH_CLIENT_SECRET" secret:"true"`
	OAuthAuthURL      shopadapter.URL `env:"OAUTH_AUTH_URL"`
	OAuthScopes       scopes          `env:"OAUTH_SCOPES, default=account_read,products_read"`

	WebhookListen       listen       `env:"WEBHOOK_LISTEN" of:"process" group:"Webhooks"`
	WebhookURL          callback     `env:"WEBHOOK_URL"`
	WebhookEvents       events       `env:"WEBHOOK_EVENTS, default=PUBLICATION_CREATED,PRODUCT_UPDATED,PRODUCT_DELETED"`
	WebhookSecret       string       `env:"WEBHOOK_SECRET" secret:"true"`
	WebhookPathToken    string       `env:"WEBHOOK_PATH_TOKEN" secret:"true"`
	WebhookHeaderPrefix headerPrefix `env:"WEBHOOK_HEADER_PREFIX, default=X-Service"`

	SweepSchedule  schedule `env:"SWEEP_SCHEDULE, default=*/5 * * * *" group:"Schedules"`
	ResyncSchedule schedule `env:"RESYNC_SCHEDULE, default=17 * * * *"`
	SweepVariants  variants `env:"SWEEP_VARIANTS, default=auto"`
	RefreshAfter   span     `env:"REFRESH_AFTER, default=24h"`

	StorePath   string    `env:"STORE_PATH, default=pubsync.db" of:"process" group:"Worker"`
	StoreURL    string    `env:"STORE_URL" secret:"true" of:"process"`
	AccountsDir string    `env:"ACCOUNTS_DIR" of:"process"`
	AccountID   string    `env:"ACCOUNT_ID" of:"account"`
	AdminListen listen    `env:"ADMIN_LISTEN, default=127.0.0.1:9464" of:"process"`
	AdminToken  string    `env:"ADMIN_TOKEN" secret:"true" of:"process"`
	Actor       string    `env:"ACTOR"`
	LogLevel    logLevel  `env:"LOG_LEVEL, default=info" of:"process"`
	LogFormat   logFormat `env:"LOG_FORMAT, default=auto" of:"process"`

	AlertURL  alertURL  `env:"ALERT_URL" secret:"true" group:"Alerts"`
	AlertMail alertMail `env:"ALERT_MAIL" secret:"true"`

	ShopAdapter       string                 `env:"SHOP_ADAPTER" group:"Shop"`
	ShopSKUPrefix     string                 `env:"SHOP_SKU_PREFIX" rules:"content"`
	ShopConcurrency   workers                `env:"SHOP_CONCURRENCY, default=4"`
	ShopCurrency      shopadapter.Currency   `env:"SHOP_CURRENCY"`
	ShopPrices        shopadapter.PricesMode `env:"SHOP_PRICES, default=auto"`
	ShopImageHosts    string                 `env:"SHOP_IMAGE_HOSTS"`
	ShopWeightUnit    string                 `env:"SHOP_WEIGHT_UNIT"`
	ShopDimensionUnit string                 `env:"SHOP_DIMENSION_UNIT"`
	ShopKeep          keep                   `env:"SHOP_KEEP" rules:"figures"`
	PublishAs         publishAs              `env:"PUBLISH_AS, default=live" rules:"figures"`

	PriceBase                priceBase       `env:"PRICE_BASE, default=msrp" rules:"figures" group:"Prices and stock"`
	PriceMSRPVAT             msrpVAT         `env:"PRICE_MSRP_VAT, default=included" rules:"figures"`
	PriceNoMSRP              noMSRP          `env:"PRICE_NO_MSRP, default=refuse" rules:"figures"`
	PriceNoMSRPMarkupPercent markup          `env:"PRICE_NO_MSRP_MARKUP_PERCENT, default=0" rules:"figures"`
	PriceMarkupPercent       markup          `env:"PRICE_MARKUP_PERCENT, default=0" rules:"figures"`
	PriceTiers               tiers           `env:"PRICE_TIERS" rules:"figures"`
	PriceCategories          categoryMarkups `env:"PRICE_CATEGORIES" rules:"figures"`
	PriceShipping            shippingCosts   `env:"PRICE_SHIPPING, default=off" rules:"figures"`
	ShippingCountry          country         `env:"SHIPPING_COUNTRY" rules:"figures"`
	PriceAdd                 money           `env:"PRICE_ADD, default=0" rules:"figures"`
	PriceVATPercent          vat             `env:"PRICE_VAT_PERCENT, default=0" rules:"figures"`
	PriceEnding              ending          `env:"PRICE_ENDING" rules:"figures"`
	PriceMinMarginPercent    margin          `env:"PRICE_MIN_MARGIN_PERCENT" rules:"figures"`
	StockBuffer              units           `env:"STOCK_BUFFER, default=0" rules:"figures"`

	SkipMarginBelow       margin     `env:"SKIP_MARGIN_BELOW" rules:"figures" group:"What is kept out"`
	SkipStockBelow        few        `env:"SKIP_STOCK_BELOW" rules:"figures"`
	SkipShippingDaysAbove days       `env:"SKIP_SHIPPING_DAYS_ABOVE" rules:"figures"`
	SkipCategories        categories `env:"SKIP_CATEGORIES" rules:"figures"`

	OnSoldOut           onSoldOut `env:"ON_SOLD_OUT, default=show" rules:"figures" group:"Removals and brakes"`
	OnRemoved           onRemoved `env:"ON_REMOVED, default=unpublish"`
	OnDrift             onDrift   `env:"ON_DRIFT, default=correct"`
	BrakeRemovedPercent share     `env:"BRAKE_REMOVED_PERCENT, default=20"`
	BrakePricePercent   share     `env:"BRAKE_PRICE_PERCENT, default=50"`
	BrakeFirstPrice     bounds    `env:"BRAKE_FIRST_PRICE, default=0.5-3"`
	FailAfter           span      `env:"FAIL_AFTER, default=24h"`
}

// Prefix begins the name of every variable.
const Prefix = "PUBSYNC_"

// A Variable is one line of the configuration. Its name has the prefix.
type Variable struct {
	shopadapter.Setting
	Group string // set on the first of a group
	// Of says who sets it where there are several accounts: the process alone, each account alone, or
	// "": the account, else the process for all of them
	Of    string
	Rules string // what of a publication it decides: figures, content (all else), or "". Publications follow a change
}

// rulesOfFigures marks what decides prices and stock.
const rulesOfFigures = "figures"

// Own is the connector's variables in their order.
func Own() (vars []Variable) {
	t := reflect.TypeFor[Settings]()
	for i, s := range shopadapter.SettingsOf(Settings{}) {
		s.Name, s.Meaning = Prefix+s.Name, meanings[s.Name]
		tag := t.Field(i).Tag
		vars = append(vars, Variable{s, tag.Get("group"), tag.Get("of"), tag.Get("rules")})
	}
	return vars
}

// Figures is the names of the variables that decide prices and stock.
func Figures() (names []string) {
	for _, v := range Own() {
		if v.Rules == rulesOfFigures {
			names = append(names, v.Name)
		}
	}
	return names
}

// Variables is every variable: the connector's, and those of each adapter compiled in.
func Variables() []Variable {
	vars := Own()
	for _, name := range shopadapter.Names() {
		f, _ := shopadapter.Lookup(name)
		group := "Shop adapter " + name + ": " + f.Summary
		for _, s := range f.List() {
			s.Name = shopadapter.Variable(name, s.Name)
			if slices.ContainsFunc(vars, func(v Variable) bool { return v.Name == s.Name }) {
				continue // the shop's, whatever the adapter
			}
			vars = append(vars, Variable{Setting: s, Group: group})
			group = ""
		}
	}
	return vars
}
