package story

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

// holds compares got with a text, a number in any form, or a bound such as <=3.
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

// summed checks the last summary: "exit 1 held 2 requests <=3".
func (a *phrase) summed() {
	var figures map[string]any
	a.must(json.Unmarshal([]byte(said(a.summary)), &figures))
	for a.words = append([]string{a.verb}, a.words...); len(a.words) > 0; {
		field := a.next()
		got, ok := figures[field].(float64)
		if !ok {
			a.fail("%s: neither a phrase nor a figure of a run", field)
		}
		a.holds(field+" of "+said(a.summary), int(got), a.next())
	}
}

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
	if len(a.words) > 0 {
		times := a.next()
		a.has("times")
		a.holds("reports of "+name, n, cmp.Or(map[string]string{"once": "1", "twice": "2"}[times], times))
	}
}

func (a *phrase) explained() {
	name := a.next()
	e, err := a.Explain(name)
	if a.verb == "state" {
		want := a.next()
		if err != nil && want == "unknown" {
			return
		}
		a.holds(fmt.Sprintf("state of %s in %s", name, said(e)), e.State, want)
	}
	a.must(err)
	a.tells(e)
}

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

// planned looks in the last plan for the phrase's own words.
func (a *phrase) planned() {
	want, plan, lines := strings.Join(append([]string{a.verb}, a.rest()...), " ")+" ", a.player.plan, []string{}
	for _, id := range plan.Create {
		lines = append(lines, "create "+id)
	}
	for _, c := range plan.Change {
		lines = append(lines, fmt.Sprintf("change %s %s %s", c.ID, c.Field, c.New))
	}
	for _, id := range plan.Withdraw {
		lines = append(lines, "withdraw "+id)
	}
	if len(lines) == 0 {
		lines = append(lines, "nothing")
	}
	lines = append(lines, fmt.Sprint("readings ", plan.Readings))
	for _, h := range plan.Held {
		lines = append(lines, "holds "+h.ID)
	}
	if !slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line+" ", want) }) {
		a.fail("got %s", strings.Join(lines, "; "))
	}
}

// called counts the calls of the shop since the line began.
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
	a.counted("calls of ", n)
	if len(a.words) > 0 {
		a.holds("calls", n["all"], a.next())
	}
}

// read counts the readings of content since the line began.
func (a *phrase) read() {
	n := map[string]int{}
	for _, r := range a.Market.Requests()[a.reads:] {
		for _, id := range r.Content {
			n[id]++
		}
	}
	a.counted("readings of ", n)
}

func (a *phrase) counted(what string, n map[string]int) {
	for _, pair := range a.given() {
		key, want, _ := strings.Cut(pair, "=")
		a.holds(what+key, n[key], want)
	}
}

// wrote checks which groups a product's writes named since the line began.
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
