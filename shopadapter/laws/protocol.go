package laws

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

func endpointLaws() []Law {
	return []Law{
		{"put", "Endpoint", checkPut, "PUT answers 200 or 201 with the listing's id; an address is absolute, and where " +
			"variants are named, they are those of the body, each with an id of its own."},
		{"whole-body", "Endpoint", checkWholeBody, "The body is whole whatever \"changed\" names: a product that the shop " +
			"does not know is made from it."},
		{"recreate", "Endpoint", checkRecreate, "The header Pubsync-Recreate makes no second product where there is one."},
		{"delete", "Endpoint", checkDelete, "DELETE of a product answers 204 in both modes, DELETE of nothing 204 or 404, " +
			"and the other products stay."},
		{"figures-whole", "Endpoint", checkFiguresWhole, "A PATCH makes nothing: of a product that the shop does not hold " +
			"with these very variants it is answered with 404 or 409."},
		{"list-agrees", "Endpoint", checkListAgrees, "The list holds each product once, with the id that PUT answered, and " +
			"tells what is on sale from what is not."},
		{"overlap", "Endpoint", checkOverlap, "A PUT that overlaps its own repetition, as after a time-out, is one product."},
		{"list-observed", "Endpoint", checkListObserved, `Where health says "observed", each product in the list has ` +
			`"images" and its "variants", each with "id", "sku", "price", "quantity", "backorders" and "onSale".`},
		{"problem", "Endpoint", checkProblem, "A body that is no product is refused with 400, 409, 413 or 422 and a problem " +
			"(RFC 9457) whose \"detail\" or \"title\" a person can read."},
		{"cut-off", "Endpoint", checkCutOff, "A body that is cut off changes nothing."},
		{"text-is-data", "Endpoint", checkText, "Texts are data: markup, quotes, emoji and unknown members neither break " +
			"the endpoint nor are a reason to refuse."},
		{"large", "Endpoint", checkLarge, "A product of a hundred variants and a long description is made, or refused with " +
			"413 or 422, and never with a 5xx."},
	}
}

func checkPut(b *bench) {
	id := b.id("a")
	fewer := b.revise(b.sample(id, 3), 1)
	fewer.Variants = slices.Clone(fewer.Variants[1:])
	fewer.Variants[0].Quantity = 0
	for _, p := range []shopadapter.Product{b.sample(b.id("one"), 1), b.sample(id, 3), fewer, b.sample(id, 4)} {
		b.in("%d variants", len(p.Variants))
		a := b.whole(p)
		u, err := url.Parse(a.URL)
		if a.URL != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
			b.fail(`the "url": got %q, want an absolute http or https address`, a.URL)
		}
		b.ownVariants(p, a)
	}
}

func checkWholeBody(b *bench) {
	for _, changed := range []shopadapter.Fields{
		shopadapter.NoFields, shopadapter.FieldStock, shopadapter.FieldPrice | shopadapter.FieldImages,
	} {
		b.in("changed %s", changed)
		p := b.sample(b.id(changed.String()), 2)
		b.ownVariants(p, b.accepted(b.putBody(p.ID, b.body(p, changed), nil)))
	}
}

func checkRecreate(b *bench) {
	p := b.sample(b.id("a"), 2)
	first := b.whole(p)
	header := http.Header{"Pubsync-Recreate": {"true"}}
	b.same(first, b.accepted(b.putBody(p.ID, b.body(p, all), header)))
}

func checkDelete(b *bench) {
	for _, how := range bothWays() {
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
		b.wholeAgain(other, first)
	}
}

func checkFiguresWhole(b *bench) {
	if !b.Endpoint.AcceptsFigures() {
		b.skip(`GET /health does not say "figures": true, so each change comes as a PUT`)
	}
	p := b.sample(b.id("a"), 2)
	b.whole(p)
	patched := func(what string, of shopadapter.Product) {
		b.in("a PATCH %s", what)
		body, err := b.Endpoint.Figures(of)
		b.must("body", err)
		r := b.send(Request{Method: http.MethodPatch, Path: b.Endpoint.Path(of.ID), Body: body})
		if r.Status != http.StatusNotFound && r.Status != http.StatusConflict {
			b.fail("got %d, want 404 or 409", r.Status)
		}
	}
	fewer := p
	fewer.Variants = p.Variants[:1]
	patched("of a product that was never put", b.sample(b.id("never"), 2))
	patched("with one more variant", b.sample(p.ID, 3))
	patched("with one variant less", fewer)
	b.removed(p.ID, shopadapter.Delete)
	patched("of a product that was deleted", p)
}

func checkListAgrees(b *bench) {
	if b.entries() == nil {
		b.skip("the endpoint has no list: GET {base}/products?after= answers 404")
	}
	answered := map[shopadapter.PublicationID]string{}
	for i := range 5 {
		p := b.sample(b.id(fmt.Sprint(i)), 1)
		answered[p.ID] = b.whole(p).ID
	}
	offline, deleted := b.id("0"), b.id("1")
	b.removed(offline, shopadapter.TakeOffline)
	b.removed(deleted, shopadapter.Delete)
	list := b.entries()
	b.equal("products in the list of one that was deleted", len(list[deleted]), 0)
	delete(answered, deleted)
	for id, number := range answered {
		entries := list[id]
		if id == offline && len(entries) == 0 {
			continue // a shop may forget what it took out of sale
		}
		b.equal(fmt.Sprintf("products of %q in the list", id), len(entries), 1)
		b.equal(fmt.Sprintf("the id of %q in the list, which PUT answered", id), entries[0].ID, number)
		b.equal(fmt.Sprintf("onSale of %q in the list", id), entries[0].OnSale, id != offline)
	}
}

func checkOverlap(b *bench) {
	for round := range 4 {
		p := b.sample(b.id(fmt.Sprint(round)), 3)
		var answers [3]Answer
		b.together(len(answers), func(i int) { answers[i] = b.whole(p) })
		for _, a := range answers[1:] {
			b.equal(fmt.Sprintf("the listings of %q", p.ID), a.ID, answers[0].ID)
		}
		if list := b.entries(); list != nil {
			b.equal(fmt.Sprintf("products of %q in the list", p.ID), len(list[p.ID]), 1)
		}
	}
}

// checkListObserved reads the list's members as they are written there.
func checkListObserved(b *bench) {
	if !b.Endpoint.IsObserved() {
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
				Publication shopadapter.PublicationID    `json:"publication"`
				Variants    []map[string]json.RawMessage `json:"variants"`
				Images      json.RawMessage              `json:"images"`
			} `json:"products"`
			After string `json:"after"`
		}
		b.must("a page of the list", json.Unmarshal(r.Body, &page))
		for _, e := range page.Products {
			if e.Publication != p.ID {
				continue
			}
			if n, err := strconv.Atoi(string(e.Images)); err != nil || n < 0 {
				b.fail(`"images" in the list: got %q, want a number`, e.Images)
			}
			b.equal(`the number of "variants" in the list`, len(e.Variants), len(p.Variants))
			b.formed(e.Variants)
			return
		}
		if after = page.After; after == "" {
			b.fail("the list: got nothing of a product that was put, want it")
		}
	}
	b.fail("the list: got more than 1000 pages, want an end")
}

// formed ends the check unless variants in a list have their members, of their kinds.
func (b *bench) formed(variants []map[string]json.RawMessage) {
	text := func(raw string) bool { return strings.HasPrefix(raw, `"`) }
	truth := func(raw string) bool { return raw == "true" || raw == "false" }
	for _, v := range variants {
		for _, member := range []struct {
			name, want string
			good       func(raw string) bool
		}{
			{"id", "a text", func(raw string) bool { return raw != `""` && raw != "null" && raw != "" }},
			{"sku", "a text", text},
			{"price", "a decimal number", func(raw string) bool {
				raw = strings.Trim(raw, `"`)
				return sameAmount(raw, raw)
			}},
			{"quantity", "a whole number", func(raw string) bool { _, err := strconv.Atoi(raw); return err == nil }},
			{"backorders", "true or false", truth},
			{"onSale", "true or false", truth},
		} {
			if got := string(v[member.name]); !member.good(got) {
				b.fail("%q of a variant in the list: got %q, want %s", member.name, got, member.want)
			}
		}
	}
}
