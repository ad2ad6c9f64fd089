package httpshop

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/url"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

// A page is a part of the endpoint's list.
type page struct {
	Products []struct {
		Publication string `json:"publication"`
		ID          Text   `json:"id"`
		URL         Text   `json:"url"`
		OnSale      flag   `json:"onSale"`
	} `json:"products"`
	After string `json:"after"`
}

// maxPages bounds a list that has no end.
const maxPages = 100_000

// Listings ranges over the endpoint's list. The list is optional: an endpoint without one answers
// 404, which is ErrNoList.
func (a *adapter) Listings(ctx context.Context) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) {
		after, seen := "", map[string]bool{}
		for range maxPages {
			p, err := a.page(ctx, after)
			if err != nil {
				yield(shopadapter.Listed{}, err)
				return
			}
			for _, one := range p.Products {
				if one.Publication == "" || one.ID == "" {
					yield(
						shopadapter.Listed{},
						shopadapter.Retry("the shop's endpoint lists a product without its publication or its id"),
					)
					return
				}
				listed := shopadapter.Listed{
					Ref: shopadapter.Ref{
						Publication: shopadapter.PublicationID(one.Publication),
						Listing:     shopadapter.ListingID(one.ID),
					}, OnSale: bool(one.OnSale),
				}
				if goodAddress(string(one.URL)) {
					listed.URL = string(one.URL)
				}
				if !yield(listed, nil) {
					return
				}
			}
			if p.After == "" {
				return
			}
			if seen[p.After] {
				break
			}
			seen[p.After], after = true, p.After
		}
		yield(shopadapter.Listed{}, shopadapter.Retry("the list of the shop's endpoint has no end"))
	}
}

// noList are the statuses of an endpoint without a list.
var noList = []int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented}

func (a *adapter) page(ctx context.Context, after string) (page, error) {
	resp, err := a.send(ctx, http.MethodGet, "/products?after="+url.QueryEscape(after), nil)
	var p page
	switch {
	case err != nil:
		return p, err
	case after == "" && slices.Contains(noList, resp.Status):
		return p, shopadapter.ErrNoList
	case resp.Status != http.StatusOK:
		return p, a.notWell(resp)
	case json.Unmarshal(resp.Body, &p) != nil || p.Products == nil:
		// A page of HTML, or an answer to another question, must not look like an empty shop.
		return p, shopadapter.Retry("the shop's endpoint answered a list that cannot be read: %s", a.explain(resp))
	}
	return p, nil
}
