package laws

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

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
	Token  *string // in place of the endpoint's own; "" for none
	Header http.Header
}

// A Reply is an answer that was read to its end.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte
}

// An Answer is what an endpoint says of a product. Its maps are nil where it names no variants.
type Answer struct {
	ID                string
	Variants, Refused map[string]string
}

// send makes one request as a step of the law.
func (b *bench) send(r Request) Reply {
	b.begin("%s %s", r.Method, r.Path)
	reply, err := b.Endpoint.Send(b.ctx, r)
	b.must("send", err)
	return reply
}

// putRequest is the PUT of a product whose groups are said to have changed, with a member that no
// endpoint knows.
func (b *bench) putRequest(p shopadapter.Product, changed shopadapter.Fields) Request {
	body, err := b.Endpoint.Body(p, changed)
	b.must("body", err)
	body = append([]byte(`{"aMemberOfALaterVersion":{"x":[1,2]},`), body[1:]...)
	return Request{Method: http.MethodPut, Path: b.Endpoint.Path(p.ID), Body: body}
}

// accepted sends the PUT of a good product, and reads the answer, which names no other variants.
func (b *bench) accepted(r Request, p shopadapter.Product) Answer { return b.good(b.send(r), p) }

func (b *bench) good(r Reply, p shopadapter.Product) Answer {
	if r.Status != http.StatusOK && r.Status != http.StatusCreated {
		b.fail("the status of a good product: got %d, want 200 or 201", r.Status)
	}
	a, err := b.Endpoint.Answer(r)
	if b.must("answer", err); a.Variants != nil {
		b.equal(`variants that "variants" and "refused" name`, len(a.Variants)+len(a.Refused), len(p.Variants))
	}
	return a
}

// whole puts a product whose every group is said to have changed.
func (b *bench) whole(p shopadapter.Product) Answer { return b.accepted(b.putRequest(p, all), p) }

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

var currency = regexp.MustCompile(`^[A-Z]{3}$`)

func checkHealth(b *bench) {
	r := b.send(Request{Method: http.MethodGet, Path: "/health"})
	b.equal("the status of the health", r.Status, http.StatusOK)
	var said struct{ Currency *string }
	if json.Unmarshal(r.Body, &said) == nil && said.Currency != nil && !currency.MatchString(*said.Currency) {
		b.fail("the currency: got %q, want three capital letters", *said.Currency)
	}
}

func checkToken(b *bench) {
	own := b.Endpoint.Token
	if own == "" {
		b.skip("PUBSYNC_HTTP_TOKEN is not set, so everybody may publish here")
	}
	p, stranger := b.sample(b.id("kept"), 2), b.sample(b.id("stranger"), 1)
	first := b.whole(p)
	for _, token := range []string{"", "x" + own, own[:len(own)-1], "another-token"} {
		for _, q := range []Request{
			b.putRequest(stranger, all),
			{Method: http.MethodDelete, Path: b.Endpoint.Path(p.ID) + "?mode=delete"},
			{Method: http.MethodGet, Path: "/products?after="},
		} {
			q.Token = &token
			status := b.send(q).Status
			refused := status == http.StatusUnauthorized || status == http.StatusForbidden
			if q.Method == http.MethodGet { // there may be no list, which is no secret
				refused = status != http.StatusOK
			}
			if !refused {
				b.fail("%s with a wrong token, or none: got %d, want 401 or 403", q.Method, status)
			}
		}
	}
	b.in("after a DELETE with a wrong token")
	b.again(first, b.whole(p))
	b.in("after a PUT with a wrong token")
	b.absent(stranger.ID)
}

func checkPut(b *bench) {
	for _, changed := range []shopadapter.Fields{
		shopadapter.NoFields, shopadapter.FieldStock, shopadapter.FieldPrice | shopadapter.FieldImages,
	} {
		p := b.sample(b.id(changed.String()), 3)
		for range 2 {
			b.in("changed %s, %d variants", changed, len(p.Variants))
			b.accepted(b.putRequest(p, changed), p)
			p.Variants, changed = p.Variants[1:], all
		}
	}
}

func checkOverlap(b *bench) {
	for round := range 4 {
		p := b.sample(b.id(fmt.Sprint(round)), 3)
		var answers [3]Answer
		b.together(len(answers), func(i int) { answers[i] = b.whole(p) })
		recreate := b.putRequest(p, all)
		recreate.Header = http.Header{"Pubsync-Recreate": {"true"}}
		for _, a := range append(answers[1:], b.accepted(recreate, p)) {
			b.again(answers[0], a)
		}
		if list := b.entries(); list != nil {
			b.equal(fmt.Sprintf("products of %q in the list", p.ID), list[p.ID], 1)
		}
	}
}

func checkProblem(b *bench) {
	p := b.sample(b.id("kept"), 2)
	first := b.whole(p)
	for _, body := range []string{"{", "", string(b.putRequest(p, all).Body[:200])} {
		b.in("the body %q", body)
		r := b.send(Request{Method: http.MethodPut, Path: b.Endpoint.Path(p.ID), Body: []byte(body)})
		if !slices.Contains([]int{400, 409, 413, 422}, r.Status) {
			b.fail("the status: got %d, want 400, 409, 413 or 422", r.Status)
		}
		b.readable(r)
	}
	b.again(first, b.whole(p))
}

// readable ends the check unless the answer is a problem that tells a person something.
func (b *bench) readable(r Reply) {
	var problem struct{ Title, Detail string }
	if err := json.Unmarshal(r.Body, &problem); err != nil {
		b.fail("the refusal: got no JSON (%w), want an object with a \"title\" and a \"detail\"", err)
	}
	if strings.TrimSpace(problem.Title+problem.Detail) == "" {
		b.fail(`the refusal: got neither "title" nor "detail", want one of them`)
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/problem+json" && kind != "application/json" {
		b.fail("the content type of the refusal: got %q, want application/problem+json", r.Header.Get("Content-Type"))
	}
}

func checkLarge(b *bench) {
	p := b.sample(b.id("a"), 100)
	p.Description = strings.Repeat("<p>All that can be said of a lantern.</p>", 1500)
	r := b.send(b.putRequest(p, all))
	if r.Status == http.StatusRequestEntityTooLarge || r.Status == http.StatusUnprocessableEntity {
		b.readable(r)
		return
	}
	b.good(r, p)
}

func checkDelete(b *bench) {
	for _, how := range bothWays {
		b.in("mode=%s", how)
		p, other := b.sample(b.id(how.String()), 2), b.sample(b.id(how.String()+"-other"), 2)
		b.whole(p)
		first := b.whole(other)
		b.equal("DELETE of a product", b.removed(p.ID, how), http.StatusNoContent)
		for _, gone := range []shopadapter.PublicationID{p.ID, b.id("never-" + how.String())} {
			if status := b.removed(gone, how); status != http.StatusNoContent && status != http.StatusNotFound {
				b.fail("DELETE of %q, which is gone: got %d, want 204 or 404", gone, status)
			}
		}
		b.in("another product, after a DELETE with mode=%s", how)
		b.again(first, b.whole(other))
	}
}

// How members of the list are written.
var (
	productForm = map[string]string{"images": `^\d+$`}
	variantForm = map[string]string{
		"id": `^("[^"].*"|\d.*)$`, "sku": `^".*"$`, "price": `^("-?[\d.]+"|-?[\d.]+)$`, "quantity": `^-?\d+$`,
		"backorders": `^(true|false)$`, "onSale": `^(true|false)$`,
	}
)

// checkListObserved reads the list's members as they are written there.
func checkListObserved(b *bench) {
	if !b.Endpoint.Observed {
		b.skip(`GET /health does not say "observed": true, or the list is too long to be read at each step`)
	}
	formed := func(members map[string]json.RawMessage, form map[string]string) {
		for name, want := range form {
			if got := members[name]; !regexp.MustCompile(want).Match(got) {
				b.fail("%q in the list: got %q, want it to match %s", name, got, want)
			}
		}
	}
	p := b.sample(b.id("a"), 2)
	b.whole(p)
	after := ""
	for range 1000 {
		r := b.send(Request{Method: http.MethodGet, Path: "/products?after=" + url.QueryEscape(after)})
		b.equal("the status of the list", r.Status, http.StatusOK)
		var page struct {
			Products []map[string]json.RawMessage
			After    string
		}
		b.must("a page of the list", json.Unmarshal(r.Body, &page))
		for _, e := range page.Products {
			var id shopadapter.PublicationID
			var variants []map[string]json.RawMessage
			if json.Unmarshal(e["publication"], &id) != nil || id != p.ID {
				continue
			}
			formed(e, productForm)
			_ = json.Unmarshal(e["variants"], &variants) //nolint:errcheck // what is no list has no variants
			b.equal(`the number of "variants" in the list`, len(variants), len(p.Variants))
			for _, v := range variants {
				formed(v, variantForm)
			}
			return
		}
		if after = page.After; after == "" {
			b.fail("the list: got nothing of a product that was put, want it")
		}
	}
	b.fail("the list: got more than 1000 pages, want an end")
}
