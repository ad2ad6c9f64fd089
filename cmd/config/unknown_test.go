package config

import "testing"

func TestNearest(t *testing.T) {
	for given, want := range map[string]string{
		"MARKUP":                 "PRICE_MARKUP_PERCENT",
		"MARKUP_PERCENT":         "PRICE_MARKUP_PERCENT",
		"PRICE_MARKUP_PERCEN":    "PRICE_MARKUP_PERCENT",
		"PRICEMARKUPPERCENT":     "PRICE_MARKUP_PERCENT",
		"MIN_MARGIN":             "PRICE_MIN_MARGIN_PERCENT",
		"MARKETPLACE_LANGAUGES":  "MARKETPLACE_LANGUAGES",
		"MARKETPLACE_TOKEN_FIEL": "MARKETPLACE_TOKEN_FILE",
		"WEBHOOK":                "WEBHOOK_URL",
		"BUFFER":                 "STOCK_BUFFER",
		"SCHEDULE_SWEEP":         "SWEEP_SCHEDULE",
		"CONCURENCY":             "SHOP_CONCURRENCY",
		"SHOP_SKU":               "SHOP_SKU_PREFIX",
		"HTTP_TOKN":              "HTTP_TOKEN",
		"DATABASE_DSN":           "",
		"X":                      "",
		"":                       "",
	} {
		if want != "" {
			want = Prefix + want
		}
		if got := nearest(Prefix + given); got != want {
			t.Errorf("%s: did you mean %q, want %q", given, got, want)
		}
	}
}
