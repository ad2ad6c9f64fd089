package story

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

// holds compares what stands with what is wanted: a text, a number in any form, or a bound such as <=3.
func (p *player) holds(what string, got any, want string) {
	p.Helper()
	ok := fmt.Sprint(got) == want
	is, err := decimal.NewFromString(fmt.Sprint(got))
	bound, wrong := decimal.NewFromString(strings.TrimLeft(want, "<=>"))
	if err == nil && wrong == nil {
		side := is.Cmp(bound)
		ok = side == 0 || side < 0 && strings.HasPrefix(want, "<=") || side > 0 && strings.HasPrefix(want, ">=")
	}
	if !ok {
		p.fail("%s: got %v, want %s", what, got, want)
	}
}

// summed holds figures of the last summary to numbers: "exit 1 held 2 requests <=3".
func (a *phrase) summed() {
	var figures map[string]any
	a.must(json.Unmarshal([]byte(said(a.summary)), &figures))
	for a.names = append([]string{a.verb}, a.names...); len(a.names) > 0; {
		field := a.next()
		got, ok := figures[field].(float64)
		if !ok {
			a.fail("%s: neither a phrase nor a figure of a run", field)
		}
		a.holds(field+" of "+said(a.summary), int(got), a.next())
	}
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
	if len(a.names) > 0 {
		times := a.next()
		a.has("times")
		a.holds("reports of "+name, n, cmp.Or(map[string]string{"once": "1", "twice": "2"}[times], times))
	}
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

// planned holds the last plan to what the words name.
func planned(ok func(p desk.Plan, words []string) bool) func(a *phrase) {
	return func(a *phrase) {
		if !ok(a.player.plan, a.rest()) {
			a.fail("got %s", said(a.player.plan))
		}
	}
}

// called holds the shop to how often it was asked since the line began.
func (a *phrase) called() {
	n := map[string]int{}
	for _, c := range a.World.Shop.Calls()[a.calls:] {
		n[c.Method]++
		if c.Created {
			n["create"]++
		}
		if c.Method != shoptest.Check {
			n["all"]++
		}
	}
	for _, c := range a.given() {
		a.holds("calls of "+c.key, n[c.key], c.value)
	}
	if len(a.names) > 0 {
		a.holds("calls", n["all"], a.next())
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
	a.holds("writes of "+name, cmp.Or(strings.Join(writes, " then "), "nothing"), want)
}

// read holds the marketplace to how often the content of a product was read since the line began.
func (a *phrase) read() {
	for _, c := range a.given() {
		n := 0
		for _, r := range a.Market.Requests()[a.reads:] {
			if slices.Contains(r.Content, c.key) {
				n++
			}
		}
		a.holds("readings of "+c.key, n, c.value)
	}
}
