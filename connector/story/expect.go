package story

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

// expect holds what stands now to one expectation.
func (a *phrase) expect() {
	switch a.verb {
	case "shop":
		a.shows()
	case "reported":
		a.reported()
	case "state":
		a.state()
	case "explain":
		e, err := a.Explain(a.next())
		a.must(err)
		a.tells(e)
	case "status":
		s, err := a.Status()
		a.must(err)
		a.tells(s)
	case "create", "change", "withdraw", "holds", "nothing":
		a.planned()
	case "calls":
		a.called()
	case "wrote":
		a.wrote()
	case "reads":
		a.read()
	case "registered":
		a.holds("registrations", len(a.Market.Webhooks()), a.next())
	case "answers":
		a.holds("the answer", a.answer, a.next())
	default:
		a.summed()
	}
}

// holds compares what stands with what is wanted: a text, a number in any form, or a bound such as <=3.
func (p *player) holds(what string, got any, want string) {
	p.Helper()
	ok := fmt.Sprint(got) == want
	is, err := decimal.NewFromString(fmt.Sprint(got))
	bound, wrong := decimal.NewFromString(strings.TrimLeft(want, "<=>"))
	if err == nil && wrong == nil {
		switch {
		case strings.HasPrefix(want, "<="):
			ok = is.LessThanOrEqual(bound)
		case strings.HasPrefix(want, ">="):
			ok = is.GreaterThanOrEqual(bound)
		default:
			ok = is.Equal(bound)
		}
	}
	if !ok {
		p.fail("%s: got %v, want %s", what, got, want)
	}
}

// summed holds figures of the last summary to numbers: "exit 1 held 2 requests <=3".
func (a *phrase) summed() {
	var figures map[string]any
	a.must(json.Unmarshal([]byte(said(a.summary)), &figures))
	for field := a.verb; ; field = a.next() {
		got, ok := figures[field].(float64)
		if !ok {
			a.fail("%s: neither an expectation nor a figure of a run", field)
		}
		a.holds(field+" of "+said(a.summary), int(got), a.next())
		if len(a.names) == 0 {
			return
		}
	}
}

// shows holds a product of the shop to what customers should see.
func (a *phrase) shows() {
	name, of := a.next(), a.count("of", 1)-1
	on := a.one("on", "off", "none")
	it, there := a.World.Shop.Get(name)
	if there != (on != "none") {
		a.fail("the shop has %s: %t", name, there)
	}
	if on == "on" || on == "off" {
		a.holds(name+" on sale", it.OnSale, fmt.Sprint(on == "on"))
	}
	for _, c := range a.pairs {
		a.holds(c.key+" of "+name, a.shown(it, of, c.key), c.value)
	}
	a.pairs = nil
}

// shown is one property of a product as customers see it.
func (p *player) shown(it shoptest.Product, of int, key string) any {
	switch key {
	case "variants":
		return len(it.Variants)
	case "title":
		return it.Title
	case "title.nl":
		return it.Translations["nl"].Title
	case "html":
		return it.Description
	case "pictures":
		return len(it.Images)
	case "category":
		return it.Category.Path
	case "brand":
		return it.Brand
	}
	if of >= len(it.Variants) {
		p.fail("there are %d variants", len(it.Variants))
	}
	v := it.Variants[of]
	switch key {
	case "price":
		return p.can.Prices().Shown(v.Price)
	case "cost":
		return v.Cost
	case "msrp":
		return v.MSRP
	case "stock":
		return v.Quantity
	case "backorders":
		return v.Backorders
	case "sku":
		return v.SKU
	case "ean":
		return v.EAN
	}
	p.fail("%s: nothing that a shop shows", key)
	return nil
}

// reported holds the marketplace to what it was told of a product.
func (a *phrase) reported() {
	name, want, at := a.next(), a.next(), a.value("at")
	n := 0
	for _, r := range a.Market.Reports() {
		if r.ID == name {
			n++
		}
	}
	if want == "nothing" {
		a.holds("reports of "+name, n, "0")
		return
	}
	got, _ := a.Market.Publication(name)
	a.holds("status of "+name, got.Status, want)
	if !strings.HasPrefix(got.ProductURL, at) {
		a.fail("address of %s: got %q, want %s", name, got.ProductURL, at)
	}
	if len(a.names) == 0 {
		return
	}
	times := a.next()
	if word := map[string]string{"once": "1", "twice": "2"}[times]; word != "" {
		times = word
	}
	a.has("times")
	a.holds("reports of "+name, n, times)
}

// state holds a product to its state, and to what the desk tells of it.
func (a *phrase) state() {
	name, want := a.next(), a.next()
	e, err := a.Explain(name)
	if err != nil && want == "unknown" {
		return
	}
	a.must(err)
	a.holds(fmt.Sprintf("state of %s in %s", name, said(e)), e.State, want)
	a.tells(e)
}

// tells holds a document to texts in it, or with "not" to their absence.
func (a *phrase) tells(document any) {
	not := a.has("not")
	for _, text := range a.rest() {
		if strings.Contains(said(document), text) == not {
			a.fail("got %s\n\twant it to tell, or not: %q", said(document), text)
		}
	}
}

func said(document any) string {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	_ = e.Encode(document) // a document of ours
	return strings.TrimSpace(out.String())
}

// planned holds the last plan to what it names.
func (a *phrase) planned() {
	p, words, ok := a.player.plan, a.rest(), false
	switch a.verb {
	case "create":
		ok = slices.Contains(p.Create, words[0])
	case "withdraw":
		ok = slices.Contains(p.Withdraw, words[0])
	case "holds":
		ok = slices.ContainsFunc(p.Held, func(h desk.HeldPlan) bool { return h.ID == words[0] })
	case "nothing":
		ok = len(p.Create)+len(p.Change)+len(p.Withdraw) == 0
	case "change":
		ok = slices.ContainsFunc(p.Change, func(c publication.Planned) bool {
			return c.ID == words[0] && c.Field == words[1] && (len(words) < 3 || c.New == words[2])
		})
	}
	if !ok {
		a.fail("got %s", said(p))
	}
}

// called holds the shop to how often it was asked since the line began.
func (a *phrase) called() {
	calls := a.World.Shop.Calls()[a.calls:]
	count := func(of func(shoptest.Call) bool) (n int) {
		for _, c := range calls {
			if of(c) {
				n++
			}
		}
		return n
	}
	for _, c := range a.pairs {
		a.holds("calls of "+c.key, count(func(call shoptest.Call) bool {
			return call.Method == c.key || c.key == "create" && call.Created
		}), c.value)
	}
	a.pairs = nil
	if len(a.names) > 0 {
		a.holds("calls", count(func(call shoptest.Call) bool { return call.Method != shoptest.Check }), a.next())
	}
}

// wrote holds the one write of a product since the line began to the groups that it named.
func (a *phrase) wrote() {
	name, want := a.next(), a.next()
	var writes []string
	for _, c := range a.World.Shop.Calls()[a.calls:] {
		if string(c.ID) == name && (c.Method == shoptest.Publish || c.Method == shoptest.Figures) {
			writes = append(writes, c.Changed.String())
		}
	}
	if want == "nothing" {
		want = ""
	}
	a.holds("writes of "+name, strings.Join(writes, " then "), want)
}

// read holds the marketplace to how often the content of a product was read since the line began.
func (a *phrase) read() {
	for _, c := range a.pairs {
		n := 0
		for _, r := range a.Market.Requests()[a.reads:] {
			if slices.Contains(r.Content, c.key) {
				n++
			}
		}
		a.holds("readings of "+c.key, n, c.value)
	}
	a.pairs = nil
}
