package connector

import (
	"log/slog"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// GCPercent is what the garbage collector's percentage is best set to: measured on two cores, a quarter more publications a second than with Go's own
// 100, and 20,000 publications known in less than 64 MiB still.
const GCPercent = 150

// Options is all that a Connector is made from. The zero value of a rule is the mildest: no markup, no buffer, nothing kept.
type Options struct {
	Store       *store.Store
	Marketplace *marketplace.Client
	Shop        shopadapter.Adapter
	ShopName    string // the adapter's name, for logs and metrics
	Logger      *slog.Logger
	Redact      func(string) string // takes secrets out of what a panic says; nil: says it as it is
	Version     string

	Rules       Rules
	Brake       Brake
	Concurrency int // publications worked on at a time

	OnRemoved OnRemoved
	OnDeleted OnDeleted

	FailAfter    time.Duration
	RefreshAfter time.Duration
	Sweep        cron.Schedule // incremental sweeps; nil: none
	Resync       cron.Schedule // enumerations; nil: none
	Grace        time.Duration // for work under way when the worker stops

	Webhook WebhookOptions
	Admin   AdminOptions
}

// Rules say how a listing of the marketplace becomes a product of the shop.
type Rules struct {
	Languages   []string // in order of preference: the first that has a title is the product's
	SKUPrefix   string
	Keep        shopadapter.Fields // written at creation only, the merchant's from then on
	Price       PriceRule
	StockBuffer int // units kept back
}

// OnRemoved is what becomes of a listing whose entry is gone from the import list.
type OnRemoved string

// The choices.
const (
	RemovedUnpublish OnRemoved = "unpublish"
	RemovedDelete    OnRemoved = "delete"
	RemovedKeep      OnRemoved = "keep"
)

// OnDeleted is what becomes of a publication whose listing was deleted in the shop by hand.
type OnDeleted string

// The choices.
const (
	DeletedKeep     OnDeleted = "keep" // it stays deleted, and retry brings it back
	DeletedRecreate OnDeleted = "recreate"
)

// WebhookOptions is the public listener's part.
type WebhookOptions struct {
	Secret    string // of signed webhooks; empty: none are taken
	PathToken string // of the unsigned default webhook; empty: none are taken
	Prefix    string // of the marketplace's headers
	URL       string // registered with the marketplace; empty: none is
}

// AdminOptions is the admin listener's part.
type AdminOptions struct {
	Token    string            // empty: none is asked for, which only a loopback listener may do
	Settings map[string]string // variable -> digest of its value: to warn a caller whose settings differ
	Pages    map[string]Page   // what else is served: path prefix -> page
}
