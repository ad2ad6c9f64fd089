package medusa

import (
	"encoding/base64"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/internal/storefront"
	"github.com/pubsync/pubsync/shopadapter/quote"
)

func init() {
	shopadapter.Register(Name, shopadapter.Factory{
		Summary:  "Medusa 2, through the Admin API",
		Settings: settings(),
		Open:     func(o shopadapter.Options) (shopadapter.Adapter, error) { return Open(o) },
	})
}

// An Adapter is the map from publications to products of one sales channel. It also implements shopadapter.Lister, shopadapter.Checker and
// shopadapter.Pricer.
type Adapter struct {
	api        *rest.Client
	storefront storefront.Template
	chosen     map[string]string // settings that choose among what the shop has; "" leaves the choice to the shop

	categories sync.Mutex           // one maker of categories at a time
	known      atomic.Pointer[shop] // nil: read it before the next use
}

var _ interface {
	shopadapter.Lister
	shopadapter.Checker
	shopadapter.Pricer
} = (*Adapter)(nil)

// Name is what the adapter is registered as.
const Name = "medusa"

// Open makes the adapter from the settings that Register announces. It contacts nobody.
func Open(o shopadapter.Options) (*Adapter, error) {
	o, err := o.Complete(Name, settings())
	if err != nil {
		return nil, err
	}
	token := o.Settings["TOKEN"]
	credential := "Basic " + base64.StdEncoding.EncodeToString([]byte(token+":"))
	return &Adapter{
		api: &rest.Client{
			HTTP: o.HTTPClient, Base: strings.TrimSuffix(strings.TrimRight(o.Settings["URL"], "/"), "/admin") + "/admin/",
			Header: http.Header{"Authorization": {credential}}, Limits: limits, Redact: quote.Hider("[token]", token),
		},
		storefront: storefront.Template{Address: o.Settings["STOREFRONT_URL"], Mark: handleMark},
		chosen:     o.Settings,
	}, nil
}
