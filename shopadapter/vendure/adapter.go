package vendure

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	graphql "github.com/hasura/go-graphql-client"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/fetch"
	"github.com/pubsync/pubsync/shopadapter/internal/exchange"
	"github.com/pubsync/pubsync/shopadapter/internal/imagehost"
	"github.com/pubsync/pubsync/shopadapter/internal/memo"
	"github.com/pubsync/pubsync/shopadapter/internal/storefront"
)

func init() {
	shopadapter.Register(Name, shopadapter.Factory{
		Drafts:   true,
		Summary:  "Vendure 3, through the GraphQL Admin API",
		Settings: settings{},
		Open:     func(o shopadapter.Options) (shopadapter.Adapter, error) { return Open(o) },
	})
}

// maxImage is the largest picture taken from a supplier, in bytes. Vendure's own limit on an upload
// is 20 MiB unless the owner changed it.
const maxImage = 20 << 20

// An Adapter is the map from publications to products of one channel of one Vendure. It is also an
// io.Closer.
type Adapter struct {
	api        string // the Admin API's address
	storefront storefront.Template
	channel    string // the channel's token, "" for the default channel
	username   string
	password   string
	pricing    shopadapter.PricesMode // the setting PRICES
	vat        string                 // shopadapter.Options.VATPercent
	weight     weightUnit
	length     lengthUnit

	http    *http.Client
	graph   *graphql.Client
	session *session

	fetch     func(ctx context.Context, address string) (fetch.File, error)
	try       func(ctx context.Context, addresses []string) map[string]error
	closeIdle func()

	assets   [64]chan struct{} // one upload of an address at a time: one of these, by the address
	category chan struct{}     // one maker of facets and their values at a time
	filed    *memo.Memo[map[string]filing]
}

var _ shopadapter.Adapter = (*Adapter)(nil)

// Name is the name under which the adapter is registered.
const Name = "vendure"

// Open makes the adapter from the settings that Register announces. It makes no request.
func Open(o shopadapter.Options) (*Adapter, error) {
	var set settings
	o, err := o.Complete(Name, &set)
	if err != nil {
		return nil, err
	}
	api, origin, err := endpoint(string(set.URL))
	if err != nil {
		return nil, fmt.Errorf("read URL: %w", err)
	}
	images := imagehost.Open(origin, set.ImageHosts, maxImage)
	client := exchange.Client(o.HTTPClient, nil)
	a := &Adapter{
		api: api,
		storefront: storefront.Template{
			Address: cmp.Or(string(set.Storefront), origin+"/product/"+slugMark),
			Mark:    slugMark,
		},
		channel:   set.Channel,
		username:  set.Username,
		password:  set.Password,
		pricing:   set.Prices,
		vat:       o.VATPercent,
		weight:    set.Weight,
		length:    set.Dimensions,
		http:      client,
		graph:     graphql.NewClient(api, client),
		session:   newSession(),
		fetch:     images.Get,
		try:       images.TryAll,
		closeIdle: images.Close,
		category:  make(chan struct{}, 1),
	}
	a.filed = memo.New(filedFor, a.readFiled)
	for i := range a.assets {
		a.assets[i] = make(chan struct{}, 1)
	}
	return a, nil
}

// Close lets go of idle connections. Vendure ends the session by itself.
func (a *Adapter) Close() error {
	a.closeIdle()
	return nil
}
