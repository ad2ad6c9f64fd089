package config

// meanings has a line for each of Settings, by its name without the prefix, in the same order.
var meanings = map[string]string{ //nolint:gosec // names and meanings of secrets, no secret
	"MARKETPLACE_URL": "address of the marketplace's API; operations go to {address}/v1/graphql, or to the address " +
		"itself where it ends in /graphql",
	"MARKETPLACE_TOKEN": "bearer token of a private app or a dropshipping custom integration",
	"MARKETPLACE_FORMS": "what differs from the specification where the marketplace does not show its schema: parts of " +
		"status=SUCCESS,FAILED connections=edges sort=ID_DESC userErrors=none languages=en method=String; doctor says which",
	"MARKETPLACE_LANGUAGES": "languages to fetch, the preferred first; the first that has a title is the product's",
	"MARKETPLACE_CURRENCY":  "currency of the marketplace's amounts; nothing is converted, so the shop must sell in it",

	"PRODUCT_DETAILS":            "brand, sizes, weight, country of origin, lead time and tags: on, or off",
	"MARKETPLACE_WEIGHT_UNIT":    "unit of the marketplace's weights: kg, g, lb or oz",
	"MARKETPLACE_DIMENSION_UNIT": "unit of the marketplace's sizes: cm, mm, m, in or yd",
	"IMAGE_SIZE": "width and height of the pictures, in pixels; what is in the shop stays until a picture " +
		"changes",
	"IMAGE_METHOD": "how the marketplace makes pictures of that size: FIT, FILL or CROP, or original as the supplier " +
		"gave them; without it FIT where the marketplace has it, else original",

	"OAUTH_CLIENT_ID": "the app's client id; with these settings the token comes by installation, and is kept in the " +
		"store",
	"OAUTH_CLIENT_SECRET": "the app's client secret; it signs the app's webhooks too, unless PUBSYNC_WEBHOOK_SECRET " +
		"is set",
	"OAUTH_AUTH_URL": "address of the marketplace's OAuth screens; people are sent to {address}/oauth/authorize",
	"OAUTH_SCOPES":   "rights that the app asks for, each of which must be granted",

	"WEBHOOK_LISTEN":        "address of the public listener, for example :8080; needs a secret or a path token",
	"WEBHOOK_URL":           "full public address of POST /webhooks, registered with the marketplace",
	"WEBHOOK_EVENTS":        "events to register; one that the marketplace does not know is left out with a warning",
	"WEBHOOK_SECRET":        "the app's shared secret, for signed webhooks on POST /webhooks",
	"WEBHOOK_PATH_TOKEN":    "enables POST /webhooks/{token} for the channel's unsigned default webhook, a hint only",
	"WEBHOOK_HEADER_PREFIX": "prefix of the marketplace's webhook headers",

	"SWEEP_SCHEDULE": "incremental sweep: cron expression in UTC, or @every 5m, shifted by your account's own offset " +
		"(within 60s and a tenth of the interval); also runs at start",
	"RESYNC_SCHEDULE": "enumerates the whole list, finds removals and lost reports; shifted in the same way",
	"SWEEP_VARIANTS": "productVariants as a second source of change, for prices and stock that move no publication's " +
		"updatedAt: on, off, or auto (where the token may read it and it holds your listings)",
	"REFRESH_AFTER": "content read longer ago is read again, at the lowest priority",

	"STORE_PATH": "the store's file; a relative path that an env file sets is relative to that file",
	"STORE_URL":  "postgres://user:password@host/database: the state in PostgreSQL 15 or newer, in the place of a file",
	"ACCOUNTS_DIR": "with PUBSYNC_STORE_URL: a folder with one file NAME.env for each account of this process; what a " +
		"file does not set is as the process has it",
	"ACCOUNT_ID":   "the marketplace's id of this account, where one app serves several",
	"ADMIN_LISTEN": "address of dashboard, metrics, health and control; off disables them",
	"ADMIN_TOKEN":  "asked for wherever it is set; needed when the admin listener is not on loopback",
	"ACTOR": "the name that history gives to what a command approves or declines; without it the name of the " +
		"system's " +
		"user",
	"LOG_LEVEL":  "debug, info, warn or error",
	"LOG_FORMAT": "auto (colours on a terminal, JSON elsewhere), text or json",

	"ALERT_URL": "what needs a person is posted here as JSON, with a text (Slack, Mattermost) and a content " +
		"(Discord), " +
		"each cause at most once an hour, and when it is resolved",
	"ALERT_MAIL": "the same by mail: smtp://user:password@host:port/?from=a@shop.example&to=b@shop.example; special " +
		"characters of the password in percent-encoding; port 465 is TLS from the beginning",

	"SHOP_ADAPTER":     "the shop's adapter; pubsync adapters lists them",
	"SHOP_SKU_PREFIX":  "put before the supplier's SKUs",
	"SHOP_CONCURRENCY": "publications worked on at a time",
	"SHOP_CURRENCY":    "currency that the shop sells in, where its adapter cannot tell",
	"SHOP_PRICES": "how prices are entered: gross, net (divided by 1 + PUBSYNC_PRICE_VAT_PERCENT), or auto: as the shop " +
		"says",
	"SHOP_IMAGE_HOSTS": "host[:port] list, joined by commas, that pictures may be fetched from although the address is " +
		"private",
	"SHOP_WEIGHT_UNIT":    "g, kg, lb or oz: the unit of weights in a shop that keeps numbers alone; g when empty",
	"SHOP_DIMENSION_UNIT": "cm, mm, m, in or yd: the unit of sizes in a shop that keeps numbers alone; cm when empty",
	"SHOP_KEEP": "written at creation only and yours from then on: of " +
		"title,description,images,category,price,stock",

	"PRICE_BASE": "msrp: msrp x (1 + markup) + add, the msrp includes VAT; cost: cost x (1 + markup) x (1 + VAT) + add",
	"PRICE_MSRP_VAT": "whether the marketplace's msrp has VAT in it: included (it is not taxed again), or excluded: " +
		"msrp x (1 + markup) x (1 + VAT) + add",
	"PRICE_NO_MSRP": "a variant without msrp, where the base is msrp: refuse, or cost: cost x (1 + its own markup) x " +
		"(1 + VAT) + add",
	"PRICE_NO_MSRP_MARKUP_PERCENT": "markup on the cost of a variant without msrp",
	"PRICE_MARKUP_PERCENT":         "markup on the base",
	"PRICE_TIERS": "markup by the base before VAT, in the place of the one for all: 0-10:120%,10-50:80%,50-:50%; a " +
		"base " +
		"of 10 is in the tier 10-50",
	"PRICE_CATEGORIES": "markup by branch of the marketplace's categories, the deepest that fits: " +
		"GARDEN=+10%; FASHION/SHOES=80%; with a sign it is added to the markup, without it takes its place",
	"PRICE_SHIPPING": "the supplier's fixed costs of sending to PUBSYNC_SHIPPING_COUNTRY, with VAT: off, add to the " +
		"price, or floor: in the lowest price alone. Where they are not known, nothing new is put on sale, and " +
		"prices stay",
	"SHIPPING_COUNTRY": "group of countries of the supplier's costs and times of sending, as the marketplace names " +
		"it: " +
		"NL for example",
	"PRICE_ADD":                "amount added at the end, in the shop's currency",
	"PRICE_VAT_PERCENT":        "VAT put on the cost, and on an msrp that has none in it",
	"PRICE_ENDING":             "for example .95: rounds up to the next price with this ending",
	"PRICE_MIN_MARGIN_PERCENT": "never below cost x (1 + margin) x (1 + VAT); without it never below cost x (1 + VAT)",
	"PUBLISH_AS": "live, or draft: new products are complete and not on sale; each is reported once you put it on sale " +
		"in the shop",
	"SKIP_MARGIN_BELOW": "percent: an entry is kept out while a variant has a lower margin: price without VAT beyond " +
		"cost, in percent of cost. What is on sale stays, here and below",
	"SKIP_STOCK_BELOW":         "an entry is kept out while the supplier has fewer units of it, all variants together",
	"SKIP_SHIPPING_DAYS_ABOVE": "an entry is kept out while sending it to PUBSYNC_SHIPPING_COUNTRY takes more days",
	"SKIP_CATEGORIES":          "branches of the marketplace's categories that are kept out: FASHION/SHOES,GARDEN",
	"ON_SOLD_OUT": "a product of which nothing can be bought: show it as sold out, or hide: it is taken off sale " +
		"until the supplier has some",
	"STOCK_BUFFER": "units kept back from what the marketplace offers",

	"ON_REMOVED": "entry gone from the import list: unpublish, delete or keep. A listing that is gone while its " +
		"entry stays is always unpublished",
	"ON_DRIFT": "a price, or a quantity above what was written, that somebody changed in the shop: " +
		"correct it, or report (shown, and left)",
	"BRAKE_REMOVED_PERCENT": "removals found together are held when they and those of the last 24h are more than " +
		"this share of what is on sale and more than 10, or all of it",
	"BRAKE_PRICE_PERCENT": "a price that would move by more than this share is held",
	"BRAKE_FIRST_PRICE": "a new product or variant with a price outside of this many times its msrp with VAT " +
		"(without one: its cost with VAT) is held; where the base is cost the upper bound alone counts; off",
	"FAIL_AFTER": "what is not on sale for this long for transient or blocked errors, or for want of a title, is " +
		"reported failed, and tried on",
}
