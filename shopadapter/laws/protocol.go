package laws

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

// An Endpoint is a shop that speaks the http protocol, without the adapter in front.
type Endpoint struct {
	Token string // of requests that name no other; "" for none
	// Send makes a request below the base address and reads the answer to its end. Each flag is a header that says true.
	// An error means that no whole answer came.
	Send func(ctx context.Context, method, path, token string, body []byte, flags ...string) (*wire.Answer, error)
	// Body is a PUT's, and Path is a publication's below the base address.
	Body func(p shopadapter.Product, changed shopadapter.Fields) ([]byte, error)
	Path func(id shopadapter.PublicationID) string
	// Answer reads the answer to a PUT; Variants are nil if it names none.
	Answer func(body []byte) (shopadapter.Listing, error)
	// Lists: it has a list short enough for each step. Observed: by its health the list tells what stands in the shop.
	Lists, Observed bool
}

// ofProtocol are the verbs of requests past the adapter; good statuses stand behind the arrow. The verb answered
// checks an answer's form, the verb again also its ids.
var ofProtocol = map[string]verb{
	"GET":    func(p *player) { p.send(http.MethodGet, p.words[0], nil) },
	"DELETE": func(p *player) { p.send(http.MethodDelete, p.Endpoint.Path(p.p.ID)+"?mode="+p.words[0], nil) },
	"PUT": func(p *player) {
		p.ends = cmp.Or(p.ends, "200|201")
		p.send(http.MethodPut, p.Endpoint.Path(p.p.ID), p.whole(fields(p.words)))
	},
	"PUT-broken": func(p *player) {
		body := map[string][]byte{"brace": []byte("{"), "empty": {}, "half": p.whole(all)[:200]}[p.words[0]]
		p.send(http.MethodPut, p.Endpoint.Path(p.p.ID), body)
	},
	"recreate": func(p *player) {
		p.send(http.MethodPut, p.Endpoint.Path(p.p.ID), p.whole(all), "Pubsync-Recreate")
	},
	"overlap": func(p *player) { // three PUTs of the same product
		var answers [3]shopadapter.Listing
		p.together(len(answers), func(i int) {
			path, body := p.Endpoint.Path(p.p.ID), p.whole(all)
			r, err := p.Endpoint.Send(p.ctx, http.MethodPut, path, p.token, body)
			p.must("send", err)
			answers[i] = p.good(r)
		})
		p.answer = answers[0]
		p.alike(answers[1])
		p.alike(answers[2])
	},
	"answered": func(p *player) {
		if p.reply.Status >= http.StatusMultipleChoices {
			p.readable()
		} else {
			p.answer = p.good(p.reply)
		}
	},
	"again": func(p *player) { p.alike(p.good(p.reply)) },
	// unheld sends an endpoint the figures of a product that it does not hold.
	"unheld": func(p *player) {
		if p.Endpoint == nil {
			return
		}
		body, err := json.Marshal(map[string]any{
			"variants": shopadapter.FiguresOf(p.p.Variants), "updatedAt": p.p.UpdatedAt, "changed": figures,
		})
		p.must("body", err)
		p.ends = "404|409"
		p.send(http.MethodPatch, p.Endpoint.Path(p.p.ID), body)
	},
	"guarded": func(p *player) {
		p.unless(p.token != "", "PUBSYNC_HTTP_TOKEN is not set, so everybody may publish here")
	},
	"token": func(p *player) {
		own := p.Endpoint.Token
		p.token = map[string]string{
			"own": own, "none": "", "longer": "x" + own, "shorter": own[:len(own)-1], "other": "another-token",
		}[p.words[0]]
	},
	"currency": func(p *player) {
		var said struct{ Currency *string }
		good := json.Unmarshal(p.reply.Body, &said) != nil || said.Currency == nil || currency.MatchString(*said.Currency)
		p.that(good, "the currency: got %s, want three capital letters", p.reply.Body)
	},
	// absent ends the check if the endpoint holds the publication, as far as DELETE tells.
	"absent": func(p *player) {
		nothing, this := p.removed(p.id("nothing")), p.removed(p.p.ID)
		if nothing == http.StatusNotFound {
			p.equal(fmt.Sprintf("DELETE of %q, which should not be there", p.p.ID), this, http.StatusNotFound)
		}
	},
}

func (p *player) send(method, path string, body []byte, header ...string) {
	var err error
	p.reply, err = p.Endpoint.Send(p.ctx, method, path, p.token, body, header...)
	p.must("send", err)
	status, good, by := fmt.Sprint(p.reply.Status), strings.Split(p.ends, "|"), ""
	if p.token != p.Endpoint.Token {
		by = " with a wrong token, or none"
	}
	is := p.ends == "" || slices.Contains(good, status) || p.ends == "no list" && status != "200"
	p.that(is, "%s %s%s: got %s, want %s", method, path, by, status, strings.Join(good, " or "))
}

// whole is the body of the product's PUT, with a member that no endpoint knows.
func (p *player) whole(changed shopadapter.Fields) []byte {
	body, err := p.Endpoint.Body(p.p, changed)
	p.must("body", err)
	return append([]byte(`{"aMemberOfALaterVersion":{"x":[1,2]},`), body[1:]...)
}

func (p *player) good(r *wire.Answer) shopadapter.Listing {
	good := r.Status == http.StatusOK || r.Status == http.StatusCreated
	p.that(good, "the status of a good product: got %d, want 200 or 201", r.Status)
	a, err := p.Endpoint.Answer(r.Body)
	if p.must("answer", err); a.Variants != nil {
		p.equal(`variants that "variants" and "refused" name`, len(a.Variants)+len(a.Refused), len(p.p.Variants))
	}
	p.that(a.URL != "", `got no "url", want the address of the product's page`)
	return a
}

func (p *player) alike(now shopadapter.Listing) {
	p.equal("the listing's id", now.ID, p.answer.ID)
	p.equal("the ids of the variants", fmt.Sprint(now.ShopIDs()), fmt.Sprint(p.answer.ShopIDs()))
}

func (b *bench) removed(id shopadapter.PublicationID) int {
	path := b.Endpoint.Path(id) + "?mode=" + shopadapter.Delete.String()
	r, err := b.Endpoint.Send(b.ctx, http.MethodDelete, path, b.Endpoint.Token, nil)
	b.must("send", err)
	return r.Status
}

// stand ends the check unless an endpoint deletes the publication as one that it had.
func (s *subject) stand() {
	if s.Endpoint != nil {
		s.equal(fmt.Sprintf("DELETE of %q, which was put", s.p.ID), s.removed(s.p.ID), http.StatusNoContent)
	}
}

var currency = regexp.MustCompile(`^[A-Z]{3}$`)

// readable ends the check unless the answer is a problem with a text for a person.
func (p *player) readable() {
	var problem struct{ Title, Detail string }
	err := json.Unmarshal(p.reply.Body, &problem)
	p.that(err == nil && strings.TrimSpace(problem.Title+problem.Detail) != "",
		`the refusal: got %q, want an object of JSON with a "title" or a "detail"`, p.reply.Body)
	header := p.reply.Header.Get("Content-Type")
	kind, _, err := mime.ParseMediaType(header)
	p.that(err == nil && (kind == "application/problem+json" || kind == "application/json"),
		"the content type of the refusal: got %q, want application/problem+json", header)
}
