// Package myshop publishes to myshop. It speaks to the toy shop: put your shop's API in its place.
package myshop

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

// Name is the value of PUBSYNC_SHOP_ADAPTER that selects this adapter.
const Name = "myshop"

func init() {
	shopadapter.Register(Name, shopadapter.Factory{Summary: "myshop, over its API", Settings: settings{}, Open: open})
}

// settings are PUBSYNC_MYSHOP_URL and PUBSYNC_MYSHOP_TOKEN.
type settings struct {
	URL   shopadapter.URL   `env:"URL, default=http://127.0.0.1:9470" meaning:"address of the shop"`
	Token shopadapter.Token `env:"TOKEN, required" secret:"true" meaning:"token of the shop's API"`
}

type adapter struct {
	*wire.Client // Close lets go of its idle connections
	base         string
}

func open(o shopadapter.Options) (shopadapter.Adapter, error) {
	var set settings
	o, err := o.Complete(Name, &set)
	if err != nil {
		return nil, err
	}
	base, token := strings.TrimRight(string(set.URL), "/"), string(set.Token)
	return &adapter{base: base, Client: wire.New(wire.Options{
		Endpoint: base, Peer: "the shop", Transport: o.HTTPClient.Transport, Timeout: o.HTTPClient.Timeout,
		Authorize: func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) },
		Secrets:   func() []string { return []string{token} },
	})}, nil
}

// limits bound what is read of an answer.
var limits = wire.Limits{Bytes: 4 << 20, Elements: 100_000}

const listPath = "/api/products/"

func path(id string) string { return listPath + id } // of kit.Key, which needs no escaping

// call makes one request. Its error says who can mend it: StatusError makes it Reject for the supplier, Block for
// the merchant, or Retry for time. Any other error counts as Retry. If your shop answers 200 with an error in the
// body, read that here, and say who can mend it.
func (a *adapter) call(ctx context.Context, method, path string, send, into any) error {
	got, err := a.JSON(ctx, method, a.base+path, send, limits, into)
	switch {
	case err != nil || got.Means() == wire.Done:
		return err
	case got.Status == http.StatusNotFound && method != http.MethodPut && path != listPath:
		return nil // there is no such product; the list is always there
	}
	var said struct{ Error string }
	_ = json.Unmarshal(got.Body, &said) // another body says nothing
	return got.StatusError(a.Clean(said.Error))
}

// Check asks the shop whether it takes the token. Say in Info which currency your shop sells in, and whether it adds
// tax to prices (shopadapter.ChoosePrices), if it tells.
func (a *adapter) Check(ctx context.Context) (shopadapter.Info, error) {
	return shopadapter.Info{Figures: true}, a.call(ctx, http.MethodGet, listPath, nil, nil)
}

// Unpublish takes the product out of sale, or deletes it.
func (a *adapter) Unpublish(ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal) (string, error) {
	p, err := a.find(ctx, ref.Publication)
	switch {
	case err != nil || p.ID == "":
	case how == shopadapter.Delete:
		err = a.call(ctx, http.MethodDelete, path(p.ID), nil, nil)
	case p.OnSale:
		p.OnSale = false
		err = a.call(ctx, http.MethodPut, path(p.ID), p, nil)
	}
	return "", err
}

// List ranges over the products with our note, as they stand in the shop. The toy shop lists all in one answer;
// ask yours for pages with kit.Pages.
func (a *adapter) List(ctx context.Context, q shopadapter.Query) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) {
		var all []*product
		if err := a.call(ctx, http.MethodGet, listPath, nil, &all); err != nil {
			yield(shopadapter.Listed{}, err)
			return
		}
		for _, p := range all {
			l := a.listed(p)
			ours := p.note().Original(p.ID) && q.Wants(l.Ref.Publication) // else the merchant's own, or not asked for
			if ours && !yield(l, nil) {
				return
			}
		}
	}
}
