package shopify

import (
	"context"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/skeleton"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// known reads the publication's product by its key. Where none has the key, and the product that
// the ref names has lost it, it puts the key back.
func (a *Adapter) known(ctx context.Context, ref shopadapter.Ref, r request) (*product, error) {
	p, err := a.read(ctx, r)
	if p != nil || err != nil {
		return p, err
	}
	lost, err := a.lost(ctx, ref, r.variables["publication"])
	if lost == nil {
		return nil, err
	}
	if err := a.putBack(ctx, ref, lost); err != nil {
		return nil, err
	}
	if p, err = a.read(ctx, r); p == nil && err == nil {
		err = shopadapter.Retry("the shop does not find the product by its key yet")
	}
	return p, err
}

// lost is the product that a ref points to, where it was made for the publication, is on sale in
// the sales channel, and somebody cleared its key; nil where there is none. It is an error until a
// person asks for the product.
func (a *Adapter) lost(ctx context.Context, ref shopadapter.Ref, channel any) (*product, error) {
	if !strings.HasPrefix(string(ref.Listing), productPrefix) {
		return nil, nil
	}
	var answer struct {
		Product *product `json:"product"`
	}
	err := a.call(ctx, request{
		document: lostDocument, estimate: 5, variables: input{"id": ref.Listing, "publication": channel},
	}, &answer)
	if err != nil {
		return nil, step.Within("read product", err)
	}
	p := answer.Product
	if p == nil || p.key() != "" || !p.onSale() || !p.madeFor(ref) {
		return nil, nil
	}
	if !ref.Revive {
		return nil, skeleton.Unstamped(ref, a.scrub(number(p.ID)+" «"+p.Title+"»"))
	}
	return p, nil
}

// madeFor reports whether a product without a key was made for the publication: the State says so,
// or the stamp, which is a metafield of its own.
func (p *product) madeFor(ref shopadapter.Ref) bool {
	s := p.stamp()
	_, id := readState(ref)
	return id == number(p.ID) || s.Done && s.ID == string(ref.Publication)
}

// key is what the product holds in pubsync.publication, "" for nothing.
func (p *product) key() string {
	if p.Publication == nil {
		return ""
	}
	return p.Publication.Value
}

// productPrefix begins Shopify's id of each product. Any other hint is an error to Shopify.
const productPrefix = "gid://shopify/Product/"

// putBack gives a product its key again. What else it holds stays.
func (a *Adapter) putBack(ctx context.Context, ref shopadapter.Ref, p *product) error {
	var answer writeAnswer
	err := a.call(ctx, request{
		document: writeDocument("PutBack", partUpdate), estimate: costMutation + costMetafield,
		variables: input{"update": input{"id": p.ID, "metafields": []input{keyInput(ref.Publication)}}},
	}, &answer)
	if err == nil {
		err = a.took(answer.Update)
	}
	return step.Within("put back the product's key", err)
}

// keyInput is the metafield by which a product is found.
func keyInput(id shopadapter.PublicationID) input {
	return input{"namespace": namespace, "key": idKey, "type": "id", "value": stamp.Key(id)}
}

// writeState is what the caller remembers of a product: the digest of the stamp that the shop
// confirmed, and whose stamp it was.
func writeState(s productStamp, id string) []byte { return []byte(s.digest() + " " + number(id)) }

// readState is the State of a ref. The id is "" in one from before it was kept.
func readState(ref shopadapter.Ref) (digest, id string) {
	digest, id, _ = strings.Cut(string(ref.State), " ")
	return digest, id
}
