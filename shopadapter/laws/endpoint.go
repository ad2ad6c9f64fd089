package laws

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"

	"github.com/pubsync/pubsync/shopadapter"
)

// An Endpoint is a shop that speaks the http protocol, without the adapter in front of it.
type Endpoint struct {
	// Send makes a request below the base address. An error means that no whole answer came.
	Send func(ctx context.Context, r Request) (Reply, error)
	// Body is the body of a PUT, and Path is where a publication lies below the base address.
	Body func(p shopadapter.Product, changed shopadapter.Fields) ([]byte, error)
	Path func(id shopadapter.PublicationID) string
	// Answer reads the answer to a PUT.
	Answer func(r Reply) (Answer, error)
	// Observed says that the endpoint's health offers a list that tells what stands in the shop, short
	// enough to be read at each step.
	Observed bool
	// Token is the token of each request that names no other; "" where the endpoint asks for none.
	Token string
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

// send makes one request as a step of the law.
func (b *bench) send(r Request) Reply {
	b.begin("%s %s", r.Method, r.Path)
	reply, err := b.Endpoint.Send(b.ctx, r)
	b.must("send", err)
	return reply
}

// putRequest is the PUT of a product whose groups are said to have changed.
func (b *bench) putRequest(p shopadapter.Product, changed shopadapter.Fields) Request {
	body, err := b.Endpoint.Body(p, changed)
	b.must("body", err)
	return Request{Method: http.MethodPut, Path: b.Endpoint.Path(p.ID), Body: body}
}

// accepted makes a PUT of a good product, and reads the answer.
func (b *bench) accepted(r Request) Answer { return b.good(b.send(r)) }

func (b *bench) good(r Reply) Answer {
	if r.Status != http.StatusOK && r.Status != http.StatusCreated {
		b.fail("the status of a good product: got %d, want 200 or 201", r.Status)
	}
	a, err := b.Endpoint.Answer(r)
	b.must("answer", err)
	return a
}

// named ends the check where the answer names other variants than those of the product.
func (b *bench) named(a Answer, p shopadapter.Product) {
	if a.Variants != nil {
		b.equal(`variants that "variants" and "refused" name`, len(a.Variants)+len(a.Refused), len(p.Variants))
	}
}

// whole puts a product whose every group is said to have changed.
func (b *bench) whole(p shopadapter.Product) Answer { return b.accepted(b.putRequest(p, all)) }

// again ends the check unless a PUT of the same product was answered with the same ids.
func (b *bench) again(first, now Answer) {
	b.equal("the listing's id", now.ID, first.ID)
	if !maps.Equal(first.Variants, now.Variants) {
		b.fail("the ids of the variants: got %v, want %v", now.Variants, first.Variants)
	}
}

// removed deletes past the adapter, and returns the status.
func (b *bench) removed(id shopadapter.PublicationID, how shopadapter.Removal) int {
	return b.send(Request{Method: http.MethodDelete, Path: b.Endpoint.Path(id) + "?mode=" + how.String()}).Status
}

// entries is how often the endpoint's list names each publication; nil where it has none.
func (b *bench) entries() map[shopadapter.PublicationID]int {
	all := map[shopadapter.PublicationID]int{}
	for one, err := range b.adapter.List(b.ctx, everything) {
		if errors.Is(err, shopadapter.ErrNoList) {
			return nil
		}
		b.must("list", err)
		all[one.Ref.Publication]++
	}
	return all
}

// absent ends the check where the endpoint holds a publication, as far as it tells: by its list or,
// where it has none, by how it answers the DELETE of it.
func (b *bench) absent(id shopadapter.PublicationID) {
	if all := b.entries(); all != nil {
		b.equal(fmt.Sprintf("products of %q in the list", id), all[id], 0)
		return
	}
	nothing, this := b.removed(b.id("nothing"), shopadapter.Delete), b.removed(id, shopadapter.Delete)
	if nothing == http.StatusNotFound {
		b.equal(fmt.Sprintf("DELETE of %q, which should not be there", id), this, http.StatusNotFound)
	}
}

// stand ends the check where an endpoint does not hold a publication: it is deleted, and answered as
// what is there.
func (b *bench) stand(id shopadapter.PublicationID) {
	if b.Endpoint != nil {
		b.equal(fmt.Sprintf("DELETE of %q, which was put", id), b.removed(id, shopadapter.Delete), http.StatusNoContent)
	}
}
