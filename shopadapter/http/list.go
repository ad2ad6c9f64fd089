package httpshop

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/url"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/jsonlimit"
)

// A page is a part of the endpoint's list.
type page struct {
	Products []entry `json:"products"`
	After    string  `json:"after"`
}

// An entry is one product in the list. Where the endpoint is observed, it has its variants.
type entry struct {
	Publication string   `json:"publication"`
	ID          Text     `json:"id"`
	URL         Text     `json:"url"`
	OnSale      flag     `json:"onSale"`
	Variants    variants `json:"variants"`
	Images      count    `json:"images"`
	Edited      *texts   `json:"edited"` // nil where the endpoint does not tell
}

// pageLimits bound what is read of one page of the list: a hundred products, each with as many
// variants, fit.
var pageLimits = jsonlimit.Limits{Bytes: 4 << 20, Elements: 200_000, Depth: 20}

func (e entry) listed() shopadapter.Listed {
	l := shopadapter.Listed{
		Ref: shopadapter.Ref{
			Publication: shopadapter.PublicationID(e.Publication),
			Listing:     shopadapter.ListingID(e.ID),
		},
		Listing: shopadapter.Listing{ID: shopadapter.ListingID(e.ID), OnSale: bool(e.OnSale), Images: -1},
	}
	if goodAddress(string(e.URL)) {
		l.URL = string(e.URL)
	}
	return l
}

// A query says what of the list is wanted. The zero query is for all of it.
type query struct {
	// this one alone; an endpoint that does not know the word lists the others too
	publication shopadapter.PublicationID
}

// Pages in a row that bring nothing new end the list: it has no end. An endpoint may show few of the
// products that it pages over, so that some pages are empty.
const (
	mostIdle     = 1_000 // empty ones
	mostRepeated = 2     // ones that list what was listed before
)

// list ranges over what the endpoint lists.
func (a *adapter) list(ctx context.Context, of query) iter.Seq2[entry, error] {
	return func(yield func(entry, error) bool) {
		after, cursors, known := "", map[string]bool{}, map[string]bool{}
		for idle, repeated := 0, 0; idle < mostIdle && repeated < mostRepeated && !cursors[after]; {
			p, err := a.page(ctx, after, of)
			if err != nil {
				yield(entry{}, err)
				return
			}
			before := len(known)
			for _, one := range p.Products {
				if one.Publication == "" || one.ID == "" {
					yield(
						entry{},
						shopadapter.Retry("the shop's endpoint lists a product without its publication or its id"),
					)
					return
				}
				known[one.Publication] = true
				if !yield(one, nil) {
					return
				}
			}
			if p.After == "" {
				return
			}
			cursors[after], after = true, p.After
			switch {
			case len(known) > before:
				idle, repeated = 0, 0
			case len(p.Products) > 0:
				repeated++
			default:
				idle++
			}
		}
		yield(entry{}, shopadapter.Retry("the list of the shop's endpoint has no end"))
	}
}

// noList are the statuses of an endpoint without a list.
var noList = []int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented}

func (a *adapter) page(ctx context.Context, after string, of query) (page, error) {
	path := "/products?after=" + url.QueryEscape(after)
	if of.publication != "" {
		path += "&publication=" + url.QueryEscape(string(of.publication))
	}
	resp, err := a.pages.Send(ctx, http.MethodGet, path, nil, nil)
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
