package httpshop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

// Publish leaves it to the endpoint to find a listing by the publication's id. Without ref.Listing all groups count
// as changed, since the endpoint may have to make it. If every variant is refused the Listing beside the error says
// why.
func (a *adapter) Publish(
	ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields,
) (listing shopadapter.Listing, err error) {
	if a.unpriced != nil {
		return listing, a.unpriced
	}
	if p.Figures {
		return a.restock(ctx, ref, a.prices.Product(p), changed)
	}
	if p.Draft {
		if err := a.drafts(ctx); err != nil {
			return listing, err
		}
	}
	if changed |= ref.Reset; ref.Listing == "" {
		changed = shopadapter.AllFields
	}
	p = whole(p, ref.State)
	body, err := Encode(a.prices.Product(p), changed, ref)
	if err != nil {
		return listing, fmt.Errorf("encode product: %w", err)
	}
	var flags []string
	if ref.Listing == "" && ref.Asked { // a person wants it, even if somebody deleted it
		flags = append(flags, "Pubsync-Recreate")
	}
	resp, err := a.Send(ctx, http.MethodPut, Path(ref.Publication), body, limits, flags...)
	if err == nil && deletedByHand(resp) {
		return listing, shopadapter.ErrGone
	}
	if err == nil {
		listing, err = a.listing(resp, p)
	}
	if listing.ID != "" {
		listing.State = keep(p)
	}
	return listing, err
}

// drafts returns an error unless the endpoint says that it makes drafts: else it might put the product on sale.
func (a *adapter) drafts(ctx context.Context) error {
	health, err := a.health.Get(ctx, false)
	if err != nil || health.Drafts {
		return err
	}
	return shopadapter.Block("the shop's endpoint does not say that it makes drafts (GET /health with \"drafts\": " +
		"true), so that PUBSYNC_PUBLISH_AS=draft would put products on sale: have it say so, or set " +
		"PUBSYNC_PUBLISH_AS=live").Everywhere()
}

// restock writes figures by PATCH. It returns ErrWhole if the endpoint accepts none, or may lack the whole product.
func (a *adapter) restock(
	ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields,
) (none shopadapter.Listing, err error) {
	health, err := a.health.Get(ctx, false)
	if ref.Listing == "" || ref.Reset != shopadapter.NoFields || err != nil || !health.Figures {
		return none, shopadapter.ErrWhole
	}
	body, err := wire.Encode(struct {
		Variants  []shopadapter.Figures `json:"variants"`
		UpdatedAt string                `json:"updatedAt"`
		Changed   shopadapter.Fields    `json:"changed"`
	}{shopadapter.FiguresOf(p.Variants), p.UpdatedAt, changed})
	if err != nil {
		return none, err
	}
	resp, err := a.Send(ctx, http.MethodPatch, Path(ref.Publication), body, limits)
	if err != nil {
		return none, err
	}
	switch resp.Status {
	case http.StatusNotFound, http.StatusConflict, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return none, shopadapter.ErrWhole
	}
	if deletedByHand(resp) {
		return none, shopadapter.ErrGone
	}
	listing, err := a.listing(resp, p)
	if listing.ID != "" && listing.ID != ref.Listing {
		return none, errors.Join(shopadapter.ErrWhole, err) // another product: a PUT says which
	}
	listing.State = ref.State
	return listing, err
}

// deletedByHand needs more than a 410, which may be a wrong address.
func deletedByHand(resp *wire.Answer) bool {
	answer, _ := Read(resp.Body)
	return resp.Status == http.StatusGone && answer.Deleted
}

// Unpublish sends a DELETE with how as its mode.
func (a *adapter) Unpublish(ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal) (string, error) {
	resp, err := a.Send(ctx, http.MethodDelete, Path(ref.Publication)+"?mode="+how.String(), nil, limits)
	if err != nil || resp.Status == http.StatusNotFound || deletedByHand(resp) {
		return "", err
	}
	return "", a.judge(resp)
}

// Encode returns the body of a PUT: the product, the names of the changed groups, and the wishes of a person in ref.
// Its lists are never null.
func Encode(p shopadapter.Product, changed shopadapter.Fields, ref shopadapter.Ref) ([]byte, error) {
	if len(p.Category.Branch) > 0 {
		p.Category.Name = p.Category.Label() // in the shop's language
	}
	p.Currency = "" // GET /health tells the shop's
	if p.Translations == nil {
		p.Translations = map[string]shopadapter.Translation{}
	}
	p.Options, p.Images = append([]string{}, p.Options...), append([]string{}, p.Images...)
	p.Shipping = append([]shopadapter.Shipping{}, p.Shipping...)
	p.Variants = append([]shopadapter.Variant{}, p.Variants...)
	for i, v := range p.Variants {
		p.Variants[i].Options = append([]shopadapter.Option{}, v.Options...)
	}
	return wire.Encode(struct {
		shopadapter.Product
		Changed shopadapter.Fields `json:"changed"`
		Reset   shopadapter.Fields `json:"reset,omitempty"`
		Revive  bool               `json:"revive,omitempty"`
	}{p, changed, ref.Reset, ref.Revive})
}

// A lasting is a product's state: the last sent groups that may be unknown later, since a body is always whole.
type lasting struct {
	Category *shopadapter.Category  `json:"c"` // always there: a state without it has another form
	Images   []string               `json:"i,omitempty"`
	Shipping []shopadapter.Shipping `json:"s,omitempty"`
	Returns  string                 `json:"r,omitempty"`
	Brand    string                 `json:"n,omitempty"`
	Variants map[string]described   `json:"v,omitempty"`
}

type described struct {
	EAN string `json:"ean,omitempty"`
	shopadapter.Details
}

func keep(p shopadapter.Product) []byte {
	last := lasting{&p.Category, p.Images, p.Shipping, p.Returns, p.Brand, map[string]described{}}
	for _, v := range p.Variants {
		if v.EAN != "" || len(v.List()) > 0 {
			last.Variants[v.ID] = described{v.EAN, v.Details}
		}
	}
	state, err := json.Marshal(last)
	if err != nil || len(state) > 64<<10 {
		return nil
	}
	return state
}

func whole(p shopadapter.Product, state []byte) shopadapter.Product {
	var last lasting
	if p.Unknown == shopadapter.NoFields || json.Unmarshal(state, &last) != nil || last.Category == nil {
		return p
	}
	p = p.With(p.Unknown&^shopadapter.FieldVariants, shopadapter.Product{
		Images: last.Images, Category: *last.Category, Brand: last.Brand,
		Shipping: last.Shipping, Returns: last.Returns,
	})
	for i := range p.Variants {
		v := &p.Variants[i]
		was, there := last.Variants[v.ID]
		if there && p.Unknown.Has(shopadapter.FieldVariants) { // the EAN alone may be unknown
			v.EAN = was.EAN
		}
		if there && p.Unknown.Has(shopadapter.FieldDetails) {
			v.Details = was.Details
		}
	}
	return p
}
