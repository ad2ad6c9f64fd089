package woocommerce

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// Name is what the adapter is registered as.
const Name = "woocommerce"

func init() {
	shopadapter.Register(Name, shopadapter.Factory{
		Summary:  "WooCommerce, through its REST API v3",
		Settings: settings(),
		Open: func(o shopadapter.Options) (shopadapter.Adapter, error) {
			a, err := open(o, patience{step: 2 * time.Second, steps: 15})
			if err != nil {
				return nil, err
			}
			return a, nil
		},
	})
}

// An adapter is the map from publications to products of one shop. What it holds besides the settings are caches: any of it may be lost.
type adapter struct {
	base       string // the shop's address, without a slash at its end
	key        string
	secret     string
	adopting   bool // a product of the merchant's own with our SKU is taken over
	client     *http.Client
	redact     *strings.Replacer
	logger     *slog.Logger
	limit      *limiter
	categories *categories
	patience   patience
}

// patience is how the adapter waits for a shop that is still at work on a request nobody waits for: in steps, so many at the most.
type patience struct {
	step  time.Duration
	steps int
}

func (p patience) whole() time.Duration { return p.step * time.Duration(p.steps) }

var (
	_ shopadapter.Adapter = (*adapter)(nil)
	_ shopadapter.Lister  = (*adapter)(nil)
	_ shopadapter.Checker = (*adapter)(nil)
)

func open(o shopadapter.Options, p patience) (*adapter, error) {
	var faults []error
	for _, s := range settings() {
		value := o.Settings[s.Name]
		switch {
		case value == "" && s.Required:
			faults = append(faults, fmt.Errorf("PUBSYNC_WOOCOMMERCE_%s is missing: %s", s.Name, s.Meaning))
		case value != "" && s.Valid != nil:
			if err := s.Valid(value); err != nil {
				faults = append(faults, fmt.Errorf("PUBSYNC_WOOCOMMERCE_%s %w", s.Name, err))
			}
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	mapping, err := readMapping(o.Settings["CATEGORIES"], o.Settings["CATEGORIES_FILE"])
	if err != nil {
		return nil, err
	}
	client := http.DefaultClient
	if o.HTTPClient != nil {
		client = o.HTTPClient
	}
	// The key goes to the address that was configured and to no other, so the client is ours in this respect, whatever the caller's does.
	own := *client
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	logger := o.Logger
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	key, secret := o.Settings["KEY"], o.Settings["SECRET"]
	return &adapter{
		base: shopAddress(o.Settings["URL"]), key: key, secret: secret, adopting: o.Settings["ADOPT"] == "sku",
		client: &own, redact: redactor(key, secret), logger: logger, limit: newLimiter(),
		categories: newCategories(mapping, logger), patience: p,
	}, nil
}

// readMapping joins the mapping of the settings with that of a file; where both name a path the setting wins.
func readMapping(value, file string) (map[string]string, error) {
	mapping := map[string]string{}
	if file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read PUBSYNC_WOOCOMMERCE_CATEGORIES_FILE: %w", err)
		}
		if mapping, err = parseMapping(string(text)); err != nil {
			return nil, fmt.Errorf("the file of PUBSYNC_WOOCOMMERCE_CATEGORIES_FILE %w", err)
		}
	}
	own, err := parseMapping(value)
	if err != nil {
		return nil, fmt.Errorf("PUBSYNC_WOOCOMMERCE_CATEGORIES %w", err)
	}
	maps.Copy(mapping, own)
	return mapping, nil
}
