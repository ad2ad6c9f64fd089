package laws

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

func checkPut(b *bench) {
	for _, changed := range []shopadapter.Fields{
		shopadapter.NoFields, shopadapter.FieldStock, shopadapter.FieldPrice | shopadapter.FieldImages,
	} {
		p := b.sample(b.id(changed.String()), 3)
		for range 2 {
			b.in("changed %s, %d variants", changed, len(p.Variants))
			a := b.accepted(b.putBody(p.ID, b.body(p, changed), nil))
			if a.Variants != nil {
				b.equal(`variants that "variants" and "refused" name`, len(a.Variants)+len(a.Refused), len(p.Variants))
			}
			p.Variants, changed = p.Variants[1:], all
		}
	}
}

func checkOverlap(b *bench) {
	recreate := http.Header{"Pubsync-Recreate": {"true"}}
	for round := range 4 {
		p := b.sample(b.id(fmt.Sprint(round)), 3)
		var answers [3]Answer
		b.together(len(answers), func(i int) { answers[i] = b.whole(p) })
		for _, a := range append(answers[1:], b.accepted(b.putBody(p.ID, b.body(p, all), recreate))) {
			b.same(answers[0], a)
		}
		if list := b.entries(); list != nil {
			b.equal(fmt.Sprintf("products of %q in the list", p.ID), list[p.ID], 1)
		}
	}
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
