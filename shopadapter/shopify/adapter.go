package shopify

import (
	"context"
	"log/slog"
	"time"

	graphql "github.com/hasura/go-graphql-client"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/pace"
)

func init() {
	shopadapter.Register("shopify", shopadapter.Factory{
		Summary:  "Shopify, through the Admin GraphQL API",
		Settings: settings(),
		Open:     func(o shopadapter.Options) (shopadapter.Adapter, error) { return Open(o) },
	})
}

// An Adapter is the map from publications to products of one Shopify store. It also implements shopadapter.Lister and shopadapter.Checker.
type Adapter struct {
	store       string // the permanent name, without .myshopify.com
	version     string
	token       string
	location    string // the setting; "": the primary location
	publication string // the setting

	graph  *graphql.Client
	pacer  *pace.Pacer
	costs  *costs
	shop   *shopCache
	waits  []time.Duration
	logger *slog.Logger
}

var (
	_ shopadapter.Adapter = (*Adapter)(nil)
	_ shopadapter.Lister  = (*Adapter)(nil)
	_ shopadapter.Checker = (*Adapter)(nil)
)

// Open makes the adapter from the settings that Register announces. It contacts nobody. Faulty settings are a Blocked error.
func Open(o shopadapter.Options) (*Adapter, error) {
	values := map[string]string{}
	for _, s := range settings() {
		value := o.Settings[s.Name]
		if value == "" {
			value = s.Default
		}
		switch {
		case value == "" && s.Required:
			return nil, shopadapter.Block("the setting %s is missing: %s", s.Name, s.Meaning).Everywhere()
		case value != "" && s.Valid != nil:
			if err := s.Valid(value); err != nil {
				return nil, shopadapter.Block("the setting %s %s", s.Name, err).Everywhere()
			}
		}
		values[s.Name] = value
	}
	store, _ := handle(values["STORE"]) // valid, as was just checked
	logger := o.Logger
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	address := endpoint(values["URL"], store, values["API_VERSION"])
	return &Adapter{
		store:       store,
		version:     values["API_VERSION"],
		token:       values["TOKEN"],
		location:    values["LOCATION"],
		publication: values["PUBLICATION"],
		graph:       graphql.NewClient(address, wireClient(o.HTTPClient, values["TOKEN"])),
		pacer:       pace.New(pace.Options{}),
		costs:       newCosts(),
		shop:        newShopCache(),
		waits:       mediaWaits(),
		logger:      logger,
	}, nil
}

// pause waits for d, or until the context ends.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
