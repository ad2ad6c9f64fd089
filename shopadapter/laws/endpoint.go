package laws

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"

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
	// List calls found with the publication of each entry in the endpoint's list. The error is
	// shopadapter.ErrNoList where it has none.
	List func(ctx context.Context, found func(shopadapter.PublicationID)) error
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

// putBody puts a body past the adapter.
func (b *bench) putBody(id shopadapter.PublicationID, body []byte, header http.Header) Reply {
	return b.send(Request{Method: http.MethodPut, Path: b.Endpoint.Path(id), Body: body, Header: header})
}

// body is the body of a PUT.
func (b *bench) body(p shopadapter.Product, changed shopadapter.Fields) []byte {
	body, err := b.Endpoint.Body(p, changed)
	b.must("body", err)
	return body
}

// whole puts a product whose every group is said to have changed, and reads the answer.
func (b *bench) whole(p shopadapter.Product) Answer {
	return b.accepted(b.putBody(p.ID, b.body(p, all), nil))
}

// accepted reads the answer to a good product.
func (b *bench) accepted(r Reply) Answer {
	if r.Status != http.StatusOK && r.Status != http.StatusCreated {
		b.fail("the status of a good product: got %d, want 200 or 201", r.Status)
	}
	a, err := b.Endpoint.Answer(r)
	b.must("answer", err)
	return a
}

// wholeAgain puts a product once more, which is to be answered with the same ids.
func (b *bench) wholeAgain(p shopadapter.Product, first Answer) { b.same(first, b.whole(p)) }

func (b *bench) same(first, again Answer) {
	b.equal("the listing's id", again.ID, first.ID)
	if !maps.Equal(first.Variants, again.Variants) {
		b.fail("the ids of the variants: got %v, want %v", again.Variants, first.Variants)
	}
}

// removed deletes past the adapter, and returns the status.
func (b *bench) removed(id shopadapter.PublicationID, how shopadapter.Removal) int {
	path := b.Endpoint.Path(id) + "?mode=" + url.QueryEscape(how.String())
	return b.send(Request{Method: http.MethodDelete, Path: path}).Status
}

// entries is how often the endpoint's list names each publication; nil where it has none.
func (b *bench) entries() map[shopadapter.PublicationID]int {
	all := map[shopadapter.PublicationID]int{}
	err := b.Endpoint.List(b.ctx, func(id shopadapter.PublicationID) { all[id]++ })
	if errors.Is(err, shopadapter.ErrNoList) {
		return nil
	}
	b.must("list", err)
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
