package laws

import (
	"context"
	"net/http"

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

// A Reply is an answer that was read to its end. Its Status is 0 where a request was cut and none
// came.
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
