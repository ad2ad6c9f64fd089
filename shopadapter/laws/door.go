package laws

import (
	"encoding/json"
	"mime"
	"net/http"
	"regexp"
	"slices"
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
			{Method: http.MethodPut, Path: b.Endpoint.Path(stranger.ID), Body: b.body(stranger, all)},
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
	b.wholeAgain(p, first)
	b.in("after a PUT with a wrong token")
	b.absent(stranger.ID)
}

func checkProblem(b *bench) {
	p := b.sample(b.id("kept"), 2)
	first := b.whole(p)
	for _, body := range []string{"{", ""} {
		b.in("the body %q", body)
		r := b.putBody(p.ID, []byte(body), nil)
		if !slices.Contains([]int{400, 409, 413, 422}, r.Status) {
			b.fail("the status: got %d, want 400, 409, 413 or 422", r.Status)
		}
		b.readable(r)
	}
	b.wholeAgain(p, first)
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
		cut := Request{Method: http.MethodPut, Path: b.Endpoint.Path(q.ID), Body: b.body(q, all), Half: true}
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
	b.wholeAgain(p, first)
}

func checkText(b *bench) {
	for i, text := range []string{
		`<script>alert(1)</script>`, `"quotes", 'apostrophes' & \backslashes`,
		"emoji 🌱 und Umlaute äöü, Привет, 日本語", `{{ template }} {% tag %} ${x}`, "'; DROP TABLE products; --",
	} {
		b.in("the title %q", text)
		p := b.sample(b.id(string(rune('0'+i))), 2)
		p.Title, p.Variants[0].Title = text, text
		body := append([]byte(`{"aMemberOfALaterVersion":{"x":[1,2]},`), b.body(p, all)[1:]...)
		b.accepted(b.putBody(p.ID, body, nil))
	}
}

func checkLarge(b *bench) {
	p := b.sample(b.id("a"), 100)
	p.Description = strings.Repeat("<p>All that can be said of a lantern.</p>", 1500)
	r := b.putBody(p.ID, b.body(p, all), nil)
	if r.Status == http.StatusRequestEntityTooLarge || r.Status == http.StatusUnprocessableEntity {
		b.readable(r)
		return
	}
	if a := b.accepted(r); a.Variants != nil {
		b.equal(`variants that "variants" and "refused" name`, len(a.Variants)+len(a.Refused), len(p.Variants))
	}
}
