package cmd

import "reflect"

// settings is every variable of the connector itself, as text. envconfig reads it and config parses it, so that each fault names its variable and none
// echoes a value. The adapters add theirs. config.example.env is made from the tags.
type settings struct {
	MarketplaceURL       string `env:"MARKETPLACE_URL" group:"Marketplace" meaning:"address of the marketplace's API; operations go to {address}/v1/graphql, or to the address itself where it ends in /graphql"`
	MarketplaceToken     string `env:"MARKETPLACE_TOKEN" secret:"true" meaning:"bearer token of a private app or a dropshipping custom integration"`
	MarketplaceLanguages string `env:"MARKETPLACE_LANGUAGES, default=en,nl" rules:"content" meaning:"languages to fetch, the preferred first; the first that has a title is the product's"`
	MarketplaceCurrency  string `env:"MARKETPLACE_CURRENCY, default=EUR" meaning:"currency of the marketplace's amounts; nothing is converted, so the shop must sell in it"`

	OAuthClientID     string `env:"OAUTH_CLIENT_ID" group:"Public app, in the place of PUBSYNC_MARKETPLACE_TOKEN" meaning:"the app's client id; with these settings the token comes by installation, and is kept in the store"`
	OAuthClientSecret string `env:"OAUTH_CLIENT_SECRET" secret:"true" meaning:"the app's client secret; it signs the app's webhooks too, unless PUBSYNC_WEBHOOK_SECRET is set"`
	OAuthAuthURL      string `env:"OAUTH_AUTH_URL" meaning:"address of the marketplace's OAuth screens; people are sent to {address}/oauth/authorize"`
	OAuthScopes       string `env:"OAUTH_SCOPES, default=account_read,products_read" meaning:"rights that the app asks for, each of which must be granted"`

	WebhookListen       string `env:"WEBHOOK_LISTEN" group:"Webhooks" meaning:"address of the public listener, for example :8080; needs a secret or a path token"`
	WebhookURL          string `env:"WEBHOOK_URL" meaning:"full public address of POST /webhooks, registered with the marketplace"`
	WebhookEvents       string `env:"WEBHOOK_EVENTS, default=PUBLICATION_CREATED,PRODUCT_UPDATED,PRODUCT_DELETED" meaning:"events to register; one that the marketplace does not know is left out with a warning"`
	WebhookSecret       string `env:"WEBHOOK_SECRET" secret:"true" meaning:"the app's shared secret, for signed webhooks on POST /webhooks"`
	WebhookPathToken    string `env:"WEBHOOK_PATH_TOKEN" secret:"true" meaning:"enables POST /webhooks/{token} for the channel's unsigned default webhook, a hint only"`
	WebhookHeaderPrefix string `env:"WEBHOOK_HEADER_PREFIX, default=X-Service" meaning:"prefix of the marketplace's webhook headers"`

	SweepSchedule  string `env:"SWEEP_SCHEDULE, default=*/5 * * * *" group:"Schedules" meaning:"incremental sweep: cron expression in UTC, or @every 5m, shifted by your account's own offset (within 60s and a tenth of the interval); also runs at start"`
	ResyncSchedule string `env:"RESYNC_SCHEDULE, default=17 * * * *" meaning:"enumerates the whole list, finds removals and lost reports; shifted in the same way"`
	SweepVariants  string `env:"SWEEP_VARIANTS, default=auto" meaning:"productVariants as a second source of change, for prices and stock that move no publication's updatedAt: on, off, or auto (where the token may read it and it holds your listings)"`
	RefreshAfter   string `env:"REFRESH_AFTER, default=24h" meaning:"content read longer ago is read again, at the lowest priority"`

	StorePath   string `env:"STORE_PATH, default=pubsync.db" group:"Worker" meaning:"the store's file; a relative path that an env file sets is relative to that file"`
	AdminListen string `env:"ADMIN_LISTEN, default=127.0.0.1:9464" meaning:"address of dashboard, metrics, health and control; off disables them"`
	AdminToken  string `env:"ADMIN_TOKEN" secret:"true" meaning:"asked for wherever it is set; needed when the admin listener is not on loopback"`
	LogLevel    string `env:"LOG_LEVEL, default=info" meaning:"debug, info, warn or error"`
	LogFormat   string `env:"LOG_FORMAT, default=auto" meaning:"auto (colours on a terminal, JSON elsewhere), text or json"`

	ShopAdapter     string `env:"SHOP_ADAPTER" group:"Shop" meaning:"the shop's adapter; pubsync adapters lists them"`
	ShopSKUPrefix   string `env:"SHOP_SKU_PREFIX" rules:"content" meaning:"put before the supplier's SKUs"`
	ShopConcurrency string `env:"SHOP_CONCURRENCY, default=4" meaning:"publications worked on at a time"`
	ShopCurrency    string `env:"SHOP_CURRENCY" meaning:"currency that the shop sells in, where its adapter cannot tell"`
	ShopKeep        string `env:"SHOP_KEEP" rules:"figures" meaning:"written at creation only and yours from then on: of title,description,images,category,price,stock"`

	PriceBase                string `env:"PRICE_BASE, default=msrp" rules:"figures" group:"Prices and stock" meaning:"msrp: msrp x (1 + markup) + add, the msrp includes VAT; cost: cost x (1 + markup) x (1 + VAT) + add"`
	PriceMSRPVAT             string `env:"PRICE_MSRP_VAT, default=included" rules:"figures" meaning:"whether the marketplace's msrp has VAT in it: included (it is not taxed again), or excluded: msrp x (1 + markup) x (1 + VAT) + add"`
	PriceNoMSRP              string `env:"PRICE_NO_MSRP, default=refuse" rules:"figures" meaning:"a variant without msrp, where the base is msrp: refuse, or cost: cost x (1 + its own markup) x (1 + VAT) + add"`
	PriceNoMSRPMarkupPercent string `env:"PRICE_NO_MSRP_MARKUP_PERCENT, default=0" rules:"figures" meaning:"markup on the cost of a variant without msrp"`
	PriceMarkupPercent       string `env:"PRICE_MARKUP_PERCENT, default=0" rules:"figures" meaning:"markup on the base"`
	PriceAdd                 string `env:"PRICE_ADD, default=0" rules:"figures" meaning:"amount added at the end, in the shop's currency"`
	PriceVATPercent          string `env:"PRICE_VAT_PERCENT, default=0" rules:"figures" meaning:"VAT put on the cost, and on an msrp that has none in it"`
	PriceEnding              string `env:"PRICE_ENDING" rules:"figures" meaning:"for example .95: rounds up to the next price with this ending"`
	PriceMinMarginPercent    string `env:"PRICE_MIN_MARGIN_PERCENT" rules:"figures" meaning:"never below cost x (1 + margin) x (1 + VAT); without it never below cost x (1 + VAT)"`
	StockBuffer              string `env:"STOCK_BUFFER, default=0" rules:"figures" meaning:"units kept back from what the marketplace offers"`

	OnRemoved           string `env:"ON_REMOVED, default=unpublish" group:"Removals and brakes" meaning:"entry gone from the import list: unpublish, delete or keep. A listing that is gone while its entry stays is always unpublished"`
	OnDeleted           string `env:"ON_DELETED, default=keep" meaning:"listing deleted in the shop by hand: keep it deleted, or recreate"`
	BrakeRemovedPercent string `env:"BRAKE_REMOVED_PERCENT, default=20" meaning:"removals found together are held when they and those of the last 24h are more than this share of what is on sale and more than 10, or all of it"`
	BrakePricePercent   string `env:"BRAKE_PRICE_PERCENT, default=50" meaning:"a price that would move by more than this share is held"`
	BrakeFirstPrice     string `env:"BRAKE_FIRST_PRICE, default=0.5-3" meaning:"a new product or variant with a price outside of this many times its msrp with VAT (without one: its cost with VAT) is held; where the base is cost the upper bound alone counts; off"`
	ForgetAfter         string `env:"FORGET_AFTER, default=2160h" meaning:"a withdrawn publication whose entry is gone is forgotten after this; where it is listed again later, its listing is found in the shop"`
	FailAfter           string `env:"FAIL_AFTER, default=24h" meaning:"what is not on sale for this long for transient or blocked errors, or for want of a title, is reported failed, and tried on"`
}

// envPrefix is before every variable.
const envPrefix = "PUBSYNC_"

// A variable is one line of the configuration.
type variable struct {
	name    string // with its prefix
	def     string
	meaning string
	group   string // set on the first of a group
	secret  bool
	rules   string // what of a publication it decides: rulesOfFigures, rulesOfContent, or ""
}

// What a setting may decide of a publication in the shop. Publications follow when it changes.
const (
	rulesOfFigures = "figures" // prices and stock
	rulesOfContent = "content" // all else
)

// rulesOf is the variables that decide a part of a publication.
func rulesOf(part string) (names []string) {
	for _, v := range ownVariables() {
		if v.rules == part {
			names = append(names, v.name)
		}
	}
	return names
}

// ownVariables is the connector's variables in their order.
func ownVariables() []variable {
	var vars []variable
	t := reflect.TypeFor[settings]()
	for i := range t.NumField() {
		tag := t.Field(i).Tag
		name, def := splitTag(tag.Get("env"))
		vars = append(vars, variable{
			name: envPrefix + name, def: def, meaning: tag.Get("meaning"), group: tag.Get("group"), secret: tag.Get("secret") == "true",
			rules: tag.Get("rules"),
		})
	}
	return vars
}
