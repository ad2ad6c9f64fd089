package httpshop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// Name is what the adapter is registered as.
const Name = "http"

func init() {
	shopadapter.Register(Name, shopadapter.Factory{
		Summary:  "a shop in any language behind one idempotent HTTP endpoint",
		Settings: settings(),
		Open: func(o shopadapter.Options) (shopadapter.Adapter, error) {
			a, err := open(o)
			if err != nil {
				return nil, err
			}
			return a, nil
		},
	})
}

// An adapter speaks the http shop protocol. It holds no state: what is published is known to the endpoint alone.
type adapter struct {
	client *http.Client
	base   string // without a slash at its end
	token  string // "" for none
	redact *strings.Replacer
}

func open(o shopadapter.Options) (*adapter, error) {
	base, token := o.Settings["URL"], o.Settings["TOKEN"]
	if err := validURL(base); err != nil {
		return nil, fmt.Errorf("PUBSYNC_HTTP_URL %w", err)
	}
	if err := validToken(token); err != nil {
		return nil, fmt.Errorf("PUBSYNC_HTTP_TOKEN %w", err)
	}
	// The token goes to the address that was configured and to no other, so the client is ours in this respect, whatever the caller's does.
	client := *o.HTTPClient
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &adapter{client: &client, base: strings.TrimRight(base, "/"), token: token, redact: redactor(token)}, nil
}

// Publish puts the product. The endpoint finds its listing by the publication's id, so the hints in ref are not needed; without one everything
// is said to have changed, since the endpoint may have to make the listing. The groups in ref.Reset are named as changed.
//
// Where every variant is refused the error is of kind Rejected, and the Listing beside it says why for each.
func (a *adapter) Publish(ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields) (shopadapter.Listing, error) {
	changed |= ref.Reset
	if ref.Listing == "" {
		changed = shopadapter.AllFields
	}
	body, err := encodeProduct(p, changed)
	if err != nil {
		return shopadapter.Listing{}, fmt.Errorf("encode product: %w", err)
	}
	address, err := a.product(ref.Publication)
	if err != nil {
		return shopadapter.Listing{}, err
	}
	resp, err := a.send(ctx, http.MethodPut, address, body)
	if err != nil {
		return shopadapter.Listing{}, err
	}
	if resp.code/100 != 2 {
		return shopadapter.Listing{}, a.classify(resp)
	}
	return a.readListing(resp, p)
}

// Unpublish deletes the product, in the mode that how says.
func (a *adapter) Unpublish(ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal) error {
	address, err := a.product(ref.Publication)
	if err != nil {
		return err
	}
	resp, err := a.send(ctx, http.MethodDelete, address+"?mode="+url.QueryEscape(how.String()), nil)
	switch {
	case err != nil:
		return err
	case resp.code == http.StatusNotFound:
		return nil
	case resp.code/100 != 2:
		return a.classify(resp)
	case isPage(resp.body):
		// A proxy may answer 200 to everything while the shop behind it is away.
		return shopadapter.Retry("the shop's endpoint answered a removal with %d and an HTML page", resp.code)
	}
	return nil
}

// Check asks the endpoint for its health.
func (a *adapter) Check(ctx context.Context) error {
	resp, err := a.send(ctx, http.MethodGet, a.base+"/health", nil)
	if err != nil {
		return err
	}
	if resp.code == http.StatusOK {
		return nil
	}
	e := a.classify(resp)
	if e.Kind == shopadapter.Rejected {
		// There is no product here that a supplier could change.
		return shopadapter.Retry("the shop's endpoint is not well: %s", a.explain(resp))
	}
	return e
}

// product is the address of a publication. The id is one segment of the path whatever it holds.
func (a *adapter) product(id shopadapter.PublicationID) (string, error) {
	if id == "" {
		return "", errors.New("address product: the publication has no id")
	}
	return a.base + "/products/" + escapeSegment(string(id)), nil
}

// escapeSegment percent-encodes everything but RFC 3986's unreserved characters, and the dot too where the segment would otherwise mean this
// folder or the one above.
func escapeSegment(segment string) string {
	if segment == "." || segment == ".." {
		return strings.ReplaceAll(segment, ".", "%2E")
	}
	var b strings.Builder
	for i := range len(segment) {
		switch c := segment[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// encodeProduct is the body of a PUT: the product with every list present, empty rather than null, and the names of what changed.
func encodeProduct(p shopadapter.Product, changed shopadapter.Fields) ([]byte, error) {
	p.Options, p.Images, p.Shipping = present(p.Options), present(p.Images), present(p.Shipping)
	p.Variants = slices.Clone(present(p.Variants))
	for i := range p.Variants {
		p.Variants[i].Options = present(p.Variants[i].Options)
	}
	if p.Translations == nil {
		p.Translations = map[string]shopadapter.Translation{}
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(struct {
		shopadapter.Product
		Changed shopadapter.Fields `json:"changed"`
	}{p, changed})
	return bytes.TrimSpace(b.Bytes()), err
}

func present[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// maxAnswer bounds what is read of an answer, in bytes. A listing of 2,000 variants fits well within.
const maxAnswer = 1 << 20

// A response is an answer that was read to its end.
type response struct {
	code   int
	header http.Header
	body   []byte
}

// send makes one request. An error is transient, or the context's.
func (a *adapter) send(ctx context.Context, method, address string, body []byte) (*response, error) {
	var content io.Reader
	if body != nil {
		content = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, address, content)
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	req.Header.Set("Accept", "application/json, application/problem+json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if a.token != "" {
		req.Header.Set("Authorization", "Bearer "+a.token)
	}
	resp, err := a.client.Do(req)
	if err != nil {
		return nil, a.silence(err)
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return nil, a.silence(err)
	}
	if len(data) > maxAnswer {
		return nil, shopadapter.Retry("the shop's endpoint answered %d with more than 1 MiB", resp.StatusCode)
	}
	return &response{code: resp.StatusCode, header: resp.Header, body: data}, nil
}

// silence is the error of a request that got no whole answer.
func (a *adapter) silence(err error) error {
	// The address in a url.Error says nothing that the settings do not, and it is long.
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return &shopadapter.Error{Message: "no answer from the shop's endpoint: " + a.clean(err.Error()), Err: err}
}
