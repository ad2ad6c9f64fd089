package shopify

import (
	"context"
	"iter"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// Listings ranges over the products that carry a publication's key. It walks the values of the
// metafield definition itself: a search would show what the shop's index knew some seconds ago.
func (a *Adapter) Listings(ctx context.Context) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) {
		s, err := a.knowShop(ctx)
		if err != nil {
			yield(shopadapter.Listed{}, err)
			return
		}
		seen, pages := map[string]bool{}, walk{}
		for after := ""; ; {
			page, err := a.listPage(ctx, s, after)
			if err != nil {
				yield(shopadapter.Listed{}, step.Within("list products", err))
				return
			}
			for _, n := range page.Nodes {
				l, ok := a.listed(n.Owner)
				if !ok || seen[n.Owner.ID] {
					continue
				}
				seen[n.Owner.ID] = true
				if !yield(l, nil) {
					return
				}
			}
			more, err := pages.on(page.Page)
			if err != nil {
				yield(shopadapter.Listed{}, step.Within("list products", err))
			}
			if err != nil || !more {
				return
			}
			after = page.Page.End
		}
	}
}

type owned struct {
	Owner *product `json:"owner"`
}

func (a *Adapter) listPage(ctx context.Context, s *shop, after string) (nodes[owned], error) {
	var answer struct {
		Definition *struct {
			Metafields nodes[owned] `json:"metafields"`
		} `json:"metafieldDefinition"`
	}
	variables := input{"publication": s.publication.ID, "page": listPage}
	if after != "" {
		variables["after"] = after
	}
	err := a.call(ctx, request{document: listDocument, estimate: 5 + 5*listPage, variables: variables}, &answer)
	if err != nil || answer.Definition == nil {
		return nodes[owned]{}, err
	}
	return answer.Definition.Metafields, nil
}

// listed is the listing that a product is. A product whose stamp was damaged is still ours; unless
// its key is a hash, the key is the publication's id.
func (a *Adapter) listed(p *product) (shopadapter.Listed, bool) {
	if p == nil || p.Publication == nil || p.Publication.Value == "" {
		return shopadapter.Listed{}, false
	}
	id := p.stamp().ID
	if stamp.Key(id) != p.Publication.Value {
		id = p.Publication.Value
	}
	if stamp.Key(id) != p.Publication.Value {
		return shopadapter.Listed{}, false
	}
	return shopadapter.Listed{
		Ref: shopadapter.Ref{Publication: shopadapter.PublicationID(id), Listing: shopadapter.ListingID(p.ID)},
		URL: a.address(p), OnSale: p.onSale(),
	}, true
}
