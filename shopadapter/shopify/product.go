package shopify

import (
	"context"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// A product is one as the shop answers it.
type product struct {
	ID          string         `json:"id"`
	Handle      string         `json:"handle"`
	Status      string         `json:"status"`
	Title       string         `json:"title"`
	Description string         `json:"descriptionHtml"`
	Type        string         `json:"productType"`
	StoreURL    string         `json:"onlineStoreUrl"`
	PreviewURL  string         `json:"onlineStorePreviewUrl"`
	Publication *value         `json:"publication"`
	Stamp       *value         `json:"stamp"`
	Published   bool           `json:"publishedOnPublication"`
	Media       nodes[media]   `json:"media"`
	Variants    nodes[variant] `json:"variants"`
}

type value struct {
	Value string `json:"value"`
}

type media struct {
	ID     string `json:"id"`
	Status string `json:"status"`
}

type variant struct {
	ID      string   `json:"id"`
	Options []choice `json:"selectedOptions"`
	Mark    *value   `json:"mark"`
}

type choice struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func (v variant) values() []string {
	list := make([]string, 0, len(v.Options))
	for _, o := range v.Options {
		list = append(list, o.Value)
	}
	return list
}

func (p *product) stamp() stamp {
	if p == nil || p.Stamp == nil {
		return stamp{}
	}
	return readStamp(p.Stamp.Value)
}

func (v variant) names() []string {
	list := make([]string, 0, len(v.Options))
	for _, o := range v.Options {
		list = append(list, o.Name)
	}
	return list
}

// The product statuses in which a customer may buy. An unlisted product is active, for those who have its address.
const (
	active   = "ACTIVE"
	unlisted = "UNLISTED"
	draft    = "DRAFT"
)

func (p *product) live() bool { return p.Status == active || p.Status == unlisted }

func (p *product) onSale() bool { return p.live() && p.Published }

// address is where a customer sees the product: its page, else the preview of it, else where the page will be.
func (a *Adapter) address(p *product) string {
	switch {
	case p.StoreURL != "":
		return p.StoreURL
	case p.PreviewURL != "":
		return p.PreviewURL
	}
	return "https://" + a.store + ".myshopify.com/products/" + p.Handle
}

// identifier finds the product of a publication.
func identifier(id shopadapter.PublicationID) input {
	return input{"customId": input{"namespace": namespace, "key": idKey, "value": keyOf(id)}}
}

// look reads the publication's product whole, nil when there is none.
func (a *Adapter) look(ctx context.Context, s *shop, id shopadapter.PublicationID) (*product, error) {
	p, err := a.read(ctx, request{
		operation: "Look", document: lookDocument, estimate: 10 + mostImages + 3*firstVariants,
		variables: input{"identifier": identifier(id), "publication": s.publication.ID, "page": firstVariants},
	})
	if err != nil || p == nil {
		return nil, err
	}
	if !p.belongs(id) {
		// To make one by our key would be to write over this one.
		return nil, shopadapter.Block("the product %s has a value in its metafield pubsync.publication that the shop takes for this publication's: "+
			"clear that field in Shopify", number(p.ID))
	}
	return p, a.readOn(ctx, p)
}

// belongs tells whether the product carries the publication's key. Where the shop compares values without regard to case, it finds others too.
func (p *product) belongs(id shopadapter.PublicationID) bool {
	return p.Publication != nil && p.Publication.Value == keyOf(id)
}

// find is look for a caller that only wants to know which product it is.
func (a *Adapter) find(ctx context.Context, s *shop, id shopadapter.PublicationID) (*product, error) {
	p, err := a.read(ctx, request{
		operation: "Find", document: findDocument, estimate: 5,
		variables: input{"identifier": identifier(id), "publication": s.publication.ID},
	})
	if err != nil || p == nil || !p.belongs(id) {
		return nil, err
	}
	return p, nil
}

func (a *Adapter) read(ctx context.Context, r request) (*product, error) {
	var answer struct {
		Product *product `json:"product"`
	}
	switch err := a.call(ctx, r, &answer); {
	case lacksDefinition(err):
		// Somebody deleted the definition since it was read. The next call makes it again and finds the product by it.
		a.forgetShop(ctx)
		return nil, shopadapter.Retry("the metafield definition pubsync.publication is gone from the shop")
	case err != nil:
		return nil, within("read product", err)
	}
	return answer.Product, nil
}

// readOn reads the variants that did not fit the first page.
func (a *Adapter) readOn(ctx context.Context, p *product) error {
	for p.Variants.Page.More {
		var answer struct {
			Product *product `json:"product"`
		}
		err := a.call(ctx, request{
			operation: "Variants", document: variantsDocument, estimate: 5 + 3*moreVariants,
			variables: input{"id": p.ID, "page": moreVariants, "after": p.Variants.Page.End},
		}, &answer)
		if err != nil {
			return within("read variants", err)
		}
		if answer.Product == nil {
			return shopadapter.Retry("the product was deleted while it was read")
		}
		p.Variants.Nodes = append(p.Variants.Nodes, answer.Product.Variants.Nodes...)
		p.Variants.Page = answer.Product.Variants.Page
	}
	return nil
}

// number is the last part of an id of the shop's: what the merchant sees in the address of the product's page in the back office.
func number(id string) string { return id[strings.LastIndexByte(id, '/')+1:] }
