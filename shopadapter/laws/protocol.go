package laws

import (
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

var currency = regexp.MustCompile(`^[A-Z]{3}$`)

func checkHealth(b *bench) {
	r := b.send(Request{Method: http.MethodGet, Path: "/health"})
	b.equal("the status of the health", r.Status, http.StatusOK)
	var said struct {
		Currency *string `json:"currency"`
	}
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
			b.named(b.accepted(b.putRequest(p, changed)), p)
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
		for _, a := range append(answers[1:], b.accepted(recreate)) {
			b.again(answers[0], a)
		}
		if list := b.entries(); list != nil {
			b.equal(fmt.Sprintf("products of %q in the list", p.ID), list[p.ID], 1)
		}
	}
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

// checkListObserved reads the list's members as they are written there.
func checkListObserved(b *bench) {
	if !b.Endpoint.Observed {
		b.skip(`GET /health does not say "observed": true, or the list is too long to be read at each step`)
	}
	p := b.sample(b.id("a"), 2)
	b.whole(p)
	after := ""
	for range 1000 {
		r := b.send(Request{Method: http.MethodGet, Path: "/products?after=" + url.QueryEscape(after)})
		b.equal("the status of the list", r.Status, http.StatusOK)
		var page struct {
			Products []struct {
				Publication shopadapter.PublicationID
				Variants    []map[string]json.RawMessage
				Images      json.RawMessage
			}
			After string
		}
		b.must("a page of the list", json.Unmarshal(r.Body, &page))
		for _, e := range page.Products {
			if e.Publication == p.ID {
				b.formed(map[string]json.RawMessage{"images": e.Images}, map[string]*regexp.Regexp{"images": count})
				b.equal(`the number of "variants" in the list`, len(e.Variants), len(p.Variants))
				for _, v := range e.Variants {
					b.formed(v, variantForm)
				}
				return
			}
		}
		if after = page.After; after == "" {
			b.fail("the list: got nothing of a product that was put, want it")
		}
	}
	b.fail("the list: got more than 1000 pages, want an end")
}

// How members of the list are written.
var (
	count       = regexp.MustCompile(`^\d+$`)
	truth       = regexp.MustCompile(`^(true|false)$`)
	variantForm = map[string]*regexp.Regexp{
		"id": regexp.MustCompile(`^("[^"].*"|\d.*)$`), "sku": regexp.MustCompile(`^".*"$`),
		"price":    regexp.MustCompile(`^("-?[\d.]+"|-?[\d.]+)$`),
		"quantity": regexp.MustCompile(`^-?\d+$`), "backorders": truth, "onSale": truth,
	}
)

// formed ends the check unless the list writes the members in their form.
func (b *bench) formed(members map[string]json.RawMessage, form map[string]*regexp.Regexp) {
	for name, want := range form {
		if got := members[name]; !want.Match(got) {
			b.fail("%q in the list: got %q, want it to match %s", name, got, want)
		}
	}
}

func checkProblem(b *bench) {
	p := b.sample(b.id("kept"), 2)
	first := b.whole(p)
	for _, body := range []string{"{", ""} {
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

// settle is how long an endpoint is watched that may still work on what was cut off.
const settle = 2 * time.Second

func checkCutOff(b *bench) {
	p := b.sample(b.id("kept"), 3)
	first := b.whole(p)
	half, fresh := b.sample(p.ID, 1), b.sample(b.id("never"), 1)
	for _, q := range []shopadapter.Product{half, fresh} {
		q.Description = strings.Repeat("<p>long</p>", 2000)
		cut := b.putRequest(q, all)
		cut.Half = true
		// An answer may come before the body is whole, and is judged by its status.
		b.begin("PUT %s, cut off", cut.Path)
		if r, err := b.Endpoint.Send(b.ctx, cut); err == nil && r.Status/100 == 2 {
			b.fail("the status of half a body: got %d, want none, or a refusal", r.Status)
		}
	}
	b.in("after half a body") // which the endpoint may work on after its client has gone
	for end := time.Now().Add(settle); time.Now().Before(end); time.Sleep(settle / 20) {
		b.absent(fresh.ID)
	}
	b.again(first, b.whole(p))
}

func checkText(b *bench) {
	for i, text := range []string{
		`<script>alert(1)</script>`, `"quotes", 'apostrophes' & \backslashes`,
		"emoji 🌱 und Umlaute äöü, Привет, 日本語", `{{ template }} {% tag %} ${x}`, "'; DROP TABLE products; --",
	} {
		b.in("the title %q", text)
		p := b.sample(b.id(strconv.Itoa(i)), 2)
		p.Title, p.Variants[0].Title = text, text
		q := b.putRequest(p, all)
		q.Body = append([]byte(`{"aMemberOfALaterVersion":{"x":[1,2]},`), q.Body[1:]...)
		b.accepted(q)
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
	b.named(b.good(r), p)
}
