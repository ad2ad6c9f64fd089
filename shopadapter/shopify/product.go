package shopify

import (
	"context"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// A product is one as the shop answers it.
type product struct {
	ID          string         `json:"id"`
	Handle      string         `json:"handle"`
	Status      string         `json:"status"`
	Title       string         `json:"title"`
	Description string         `json:"descriptionHtml"`
	Type        string         `json:"productType"`
	Vendor      string         `json:"vendor"`
	Tags        []string       `json:"tags"`
	StoreURL    string         `json:"onlineStoreUrl"`
	PreviewURL  string         `json:"onlineStorePreviewUrl"`
	Publication *value         `json:"publication"`
	Stamp       *value         `json:"stamp"`
	Published   bool           `json:"publishedOnPublication"`
	Media       nodes[media]   `json:"media"`
	Variants    nodes[variant] `json:"variants"`

	Translations map[string][]shownText `json:"-"` // by language, as far as an observation asks
}

type value struct {
	Value string `json:"value"`
}

type variant struct {
	ID      string   `json:"id"`
	Options []choice `json:"selectedOptions"`
	Mark    *value   `json:"mark"`

	// as far as the details are asked for
	Barcode string `json:"barcode"`

	// as far as an observation asks
	SKU       string `json:"sku"`
	Price     string `json:"price"`
	CompareAt string `json:"compareAtPrice"`
	Published bool   `json:"publishedOnPublication"` // on the sales channel, where it is until somebody takes it off
	Policy    string `json:"inventoryPolicy"`
	Item      struct {
		Tracked bool   `json:"tracked"`
		Origin  string `json:"countryCodeOfOrigin"` // as far as the details are asked for
		Size    struct {
			Weight *weight `json:"weight"`
		} `json:"measurement"` // likewise
		Level *struct {
			Quantities []struct {
				Quantity int `json:"quantity"`
			} `json:"quantities"`
		} `json:"inventoryLevel"`
	} `json:"inventoryItem"`
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

func (p *product) stamp() productStamp {
	if p == nil || p.Stamp == nil {
		return productStamp{}
	}
	return stamp.Decode[productStamp](p.Stamp.Value, stampVersion)
}

func (v variant) names() []string {
	list := make([]string, 0, len(v.Options))
	for _, o := range v.Options {
		list = append(list, o.Name)
	}
	return list
}

// The product statuses in which a customer may buy. An unlisted product is active, for those who
// have its address.
const (
	active   = "ACTIVE"
	unlisted = "UNLISTED"
	draft    = "DRAFT"
)

func (p *product) live() bool { return p.Status == active || p.Status == unlisted }

func (p *product) onSale() bool { return p.live() && p.Published }

// address is where a customer sees the product: its page, else the preview of it, else where the
// page will be.
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
	return input{"customId": input{"namespace": namespace, "key": idKey, "value": stamp.Key(id)}}
}

// readProduct reads the publication's product whole, nil when there is none. The details of its
// variants cost as much again, and are read where they are asked for.
func (a *Adapter) readProduct(
	ctx context.Context, s *shop, ref shopadapter.Ref, details bool,
) (*product, error) {
	r := request{
		document: readDocument, estimate: 10 + mostImages + 3*firstVariants,
		variables: input{
			"identifier": identifier(ref.Publication), "publication": s.publication.ID, "page": firstVariants,
		},
	}
	if details {
		r.document, r.estimate = closely(r.document), r.estimate+3*firstVariants
	}
	return a.readOwn(ctx, ref, r, details)
}

// readFigures is readProduct for a caller that writes prices and stock of some variants alone:
// texts and pictures are left out.
func (a *Adapter) readFigures(
	ctx context.Context,
	s *shop,
	ref shopadapter.Ref,
	variants int,
) (*product, error) {
	const byHand = 5 // variants that the merchant may have added
	page := min(variants+byHand, moreVariants)
	return a.readOwn(ctx, ref, request{
		document: figuresDocument, estimate: 10 + 3*float64(page),
		variables: input{"identifier": identifier(ref.Publication), "publication": s.publication.ID, "page": page},
	}, false)
}

// readOwn reads the publication's product with all its variants.
func (a *Adapter) readOwn(
	ctx context.Context, ref shopadapter.Ref, r request, details bool,
) (*product, error) {
	p, err := a.known(ctx, ref, r)
	if err != nil || p == nil {
		return nil, err
	}
	if !p.belongs(ref.Publication) {
		// productSet with this key would write over the merchant's product.
		return nil, shopadapter.Block(
			"the product %s has a value in its metafield pubsync.publication that the shop takes for this "+
				"publication's: "+
				"clear that field in Shopify",
			number(p.ID),
		)
	}
	return p, a.readOn(ctx, p, details)
}

// belongs tells whether the product carries the publication's key. Where the shop compares values
// without regard to case, it finds others too.
func (p *product) belongs(id shopadapter.PublicationID) bool {
	return p.key() == stamp.Key(id)
}

// find is readProduct for a caller that only needs to know which product it is.
func (a *Adapter) find(ctx context.Context, s *shop, ref shopadapter.Ref) (*product, error) {
	p, err := a.known(ctx, ref, request{
		document: findDocument, estimate: 5,
		variables: input{"identifier": identifier(ref.Publication), "publication": s.publication.ID},
	})
	if err != nil || p == nil || !p.belongs(ref.Publication) {
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
		// Somebody deleted the definition since it was read. The next call makes it again and finds
		// the product by it.
		a.shop.Forget()
		return nil, shopadapter.Retry("the metafield definition pubsync.publication is gone from the shop")
	case err != nil:
		return nil, step.Within("read product", err)
	}
	return answer.Product, nil
}

// readOn reads the variants that did not fit the first page.
func (a *Adapter) readOn(ctx context.Context, p *product, details bool) (err error) {
	p.Variants.Nodes, err = rest(p.Variants, func(after string) (nodes[variant], error) {
		var answer struct {
			Product *product `json:"product"`
		}
		r := request{
			document: variantsDocument, estimate: 5 + 3*moreVariants,
			variables: input{"id": p.ID, "page": moreVariants, "after": after},
		}
		if details {
			r.document, r.variables["page"] = closely(r.document), moreVariants/2 // at twice the cost
		}
		err := a.call(ctx, r, &answer)
		if err == nil && answer.Product == nil {
			err = shopadapter.Retry("the product was deleted while it was read")
		}
		if err != nil {
			return nodes[variant]{}, err
		}
		return answer.Product.Variants, nil
	})
	return step.Within("read variants", err)
}

// number is the last part of a shop's id. The merchant sees it in the address of the product's page
// in the back office.
func number(id string) string { return id[strings.LastIndexByte(id, '/')+1:] }
