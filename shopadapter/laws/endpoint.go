package laws

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

// An Endpoint is a shop that speaks the http protocol, without the adapter in front of it.
type Endpoint interface {
	// Send makes a request below the base address. An error means that no whole answer came.
	Send(ctx context.Context, r Request) (Reply, error)

	// Body is the body of a PUT, Figures that of a PATCH of all figures.
	Body(p shopadapter.Product, changed shopadapter.Fields) ([]byte, error)
	Figures(p shopadapter.Product) ([]byte, error)

	// Path is where a publication lies below the base address.
	Path(id shopadapter.PublicationID) string

	// Answer reads the answer to a PUT or a PATCH.
	Answer(r Reply) (Answer, error)

	// List is the endpoint's list, of which entry is called with each. The error is
	// shopadapter.ErrNoList where it has none.
	List(ctx context.Context, entry func(Entry)) error

	// AcceptsFigures says whether the endpoint's health offers a PATCH of figures.
	AcceptsFigures() bool

	// IsObserved says whether the endpoint's health offers a list that tells what stands in the
	// shop, short enough to be read at each step.
	IsObserved() bool

	// Token is the token of each request that names no other; "" where the endpoint asks for none.
	Token() string
}

// A Request is one request to an endpoint.
type Request struct {
	Method string
	Path   string // below the base address, with its query
	Body   []byte
	Half   bool    // the connection is cut after half of the body
	Token  *string // in place of the endpoint's own; "" for none
	Header http.Header
}

// A Reply is an answer that was read to its end. Its Status is 0 where the request was cut and no
// answer came.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte
}

// An Answer is what an endpoint says of a product. Its maps are nil where it names no variants.
type Answer struct {
	ID, URL           string
	Variants, Refused map[string]string
}

// An Entry is a product in an endpoint's list.
type Entry struct {
	Publication shopadapter.PublicationID
	ID, URL     string
	OnSale      bool
}

// send makes one request as a step of the law.
func (b *bench) send(ctx context.Context, r Request) (Reply, error) {
	b.begin("%s %s", r.Method, r.Path)
	return b.Endpoint.Send(ctx, r)
}

// sent puts a product past the adapter, and reads the answer of an endpoint that accepts it.
func (b *bench) sent(
	ctx context.Context, p shopadapter.Product, changed shopadapter.Fields, header http.Header,
) (Answer, error) {
	body, err := b.Endpoint.Body(p, changed)
	if err != nil {
		return Answer{}, err
	}
	r, err := b.send(ctx, Request{Method: http.MethodPut, Path: b.Endpoint.Path(p.ID), Body: body, Header: header})
	if err != nil {
		return Answer{}, err
	}
	return b.accepted(r)
}

// accepted reads the answer to a good product.
func (b *bench) accepted(r Reply) (Answer, error) {
	if r.Status != http.StatusOK && r.Status != http.StatusCreated {
		return Answer{}, fmt.Errorf("the status of a good product: got %d, want 200 or 201", r.Status)
	}
	return b.Endpoint.Answer(r)
}

// whole puts a product whose every group is said to have changed.
func (b *bench) whole(ctx context.Context, p shopadapter.Product) (Answer, error) {
	return b.sent(ctx, p, shopadapter.AllFields, nil)
}

// same is nil when a second answer names the listing and the variants of a first.
func same(first, again Answer) error {
	if again.ID != first.ID {
		return fmt.Errorf("the listing's id: got %q, want %q", again.ID, first.ID)
	}
	if !maps.Equal(first.Variants, again.Variants) {
		return fmt.Errorf("the ids of the variants: got %v, want %v", again.Variants, first.Variants)
	}
	return nil
}

// removed deletes past the adapter, and returns the status.
func (b *bench) removed(
	ctx context.Context, id shopadapter.PublicationID, how shopadapter.Removal,
) (status int, err error) {
	r, err := b.send(ctx, Request{
		Method: http.MethodDelete, Path: b.Endpoint.Path(id) + "?mode=" + url.QueryEscape(how.String()),
	})
	return r.Status, err
}

// listed is the endpoint's list by publication; nil where it has none.
func (b *bench) listed(ctx context.Context) (map[shopadapter.PublicationID][]Entry, error) {
	all := map[shopadapter.PublicationID][]Entry{}
	err := b.Endpoint.List(ctx, func(e Entry) { all[e.Publication] = append(all[e.Publication], e) })
	if errors.Is(err, shopadapter.ErrNoList) {
		return nil, nil
	}
	return all, err
}

// absent is nil unless the endpoint holds a publication, as far as it tells: by its list or, where
// it has none, by how it answers the DELETE of it.
func (b *bench) absent(ctx context.Context, id shopadapter.PublicationID) error {
	all, err := b.listed(ctx)
	if err != nil {
		return err
	}
	if all != nil {
		if n := len(all[id]); n != 0 {
			return fmt.Errorf("products of %q in the list: got %d, want 0", id, n)
		}
		return nil
	}
	nothing, err := b.removed(ctx, b.id("nothing"), shopadapter.Delete)
	if err != nil {
		return err
	}
	this, err := b.removed(ctx, id, shopadapter.Delete)
	if err == nil && nothing == http.StatusNotFound && this != http.StatusNotFound {
		err = fmt.Errorf("DELETE of %q, which should not be there: got %d, want 404", id, this)
	}
	return err
}

// stand is nil when each publication is held: each is deleted, and answered as what is there. It
// asks an endpoint alone.
func (b *bench) stand(ctx context.Context, ids ...shopadapter.PublicationID) error {
	if b.Endpoint == nil {
		return nil
	}
	for _, id := range ids {
		status, err := b.removed(ctx, id, shopadapter.Delete)
		if err != nil {
			return err
		}
		if status != http.StatusNoContent {
			return fmt.Errorf("DELETE of %q, which was put: got %d, want 204", id, status)
		}
	}
	return nil
}

// ownVariants is nil when an answer has an id of its own for each variant of the product, and for
// nothing else, or names no variants at all.
func ownVariants(p shopadapter.Product, a Answer) error {
	if a.Variants == nil && a.Refused == nil {
		return nil
	}
	ids := map[string]string{}
	for _, v := range p.Variants {
		if why, refused := a.Refused[v.ID]; refused {
			return fmt.Errorf("the good variant %s: got refused (%s), want it taken", v.ID, why)
		}
		id := a.Variants[v.ID]
		if id == "" {
			return fmt.Errorf(`"variants" of the answer: got no id for %s, want one`, v.ID)
		}
		if other, taken := ids[id]; taken {
			return fmt.Errorf("the ids of the variants %s and %s: got %q twice, want two", other, v.ID, id)
		}
		ids[id] = v.ID
	}
	if len(a.Variants) != len(p.Variants) {
		return fmt.Errorf(
			`"variants" of the answer: got %q, want those of the %d variants of the product`,
			slices.Sorted(maps.Keys(a.Variants)), len(p.Variants),
		)
	}
	return nil
}
