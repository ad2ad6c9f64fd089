package story

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

// expect holds what stands now to one expectation.
func (p *player) expect(what string, a args) error {
	switch what {
	case "shop":
		return p.shows(a)
	case "reported":
		return p.reported(a)
	case "state", "explain":
		return p.explains(what, a)
	case "status":
		s, err := p.Status()
		if err != nil {
			return err
		}
		return tells(s, a)
	case "create", "change", "withdraw", "holds", "nothing":
		return p.plans(what, a)
	case "calls":
		return p.called(a)
	case "wrote":
		return p.wrote(a)
	case "reads":
		return p.read(a)
	case "registered":
		return number("registrations", len(p.Market.Webhooks()), a[0])
	case "answers":
		return equal("the answer", strconv.Itoa(p.answer), a[0])
	default:
		return p.summed(append(args{what}, a...))
	}
}

// summed holds fields of the last summary to numbers: "exit 1 held 2 requests <=3".
func (p *player) summed(a args) error {
	var fields map[string]any
	data, err := json.Marshal(p.summary)
	if err == nil {
		err = json.Unmarshal(data, &fields)
	}
	if err != nil || len(a)%2 != 0 {
		return fmt.Errorf("not understood: %s", strings.Join(a, " "))
	}
	for pair := range slices.Chunk(a, 2) {
		got, ok := fields[pair[0]].(float64)
		if !ok {
			return fmt.Errorf("%s: neither an expectation nor a figure of a run", pair[0])
		}
		if err := number(pair[0], int(got), pair[1]); err != nil {
			return fmt.Errorf("%w: %s", err, data)
		}
	}
	return nil
}

// number holds a number to 3, <=3 or >=3.
func number(name string, got int, want string) error {
	n, err := strconv.Atoi(strings.TrimLeft(want, "<=>"))
	switch {
	case err != nil:
		return fmt.Errorf("%s: %q is no number", name, want)
	case strings.HasPrefix(want, "<=") && got <= n, strings.HasPrefix(want, ">=") && got >= n, got == n:
		return nil
	}
	return fmt.Errorf("%s: got %d, want %s", name, got, want)
}

func equal(name, got, want string) error {
	if got != want {
		return fmt.Errorf("%s: got %q, want %q", name, got, want)
	}
	return nil
}

// shows holds a product of the shop to what customers should see.
func (p *player) shows(a args) error {
	name := a[0]
	a = a[1:]
	of := 0
	if value, ok := a.take("of"); ok {
		n, err := strconv.Atoi(value)
		if err != nil {
			return err
		}
		of = n - 1
	}
	it, there := p.World.Shop.Get(name)
	if a.has("none") {
		if there {
			return fmt.Errorf("the shop has %s", name)
		}
		return a.idle()
	}
	if !there {
		return fmt.Errorf("the shop has no %s", name)
	}
	on, off := a.has("on"), a.has("off")
	if on && !it.OnSale || off && it.OnSale {
		return fmt.Errorf("%s on sale: got %t, want %t", name, it.OnSale, on)
	}
	it.Variants = slices.Clone(it.Variants)
	for i := range it.Variants {
		it.Variants[i].Price = p.can.Prices().Shown(it.Variants[i].Price)
	}
	pairs, names := a.pairs()
	for _, pair := range pairs {
		if err := shown(it, of, pair[0], pair[1]); err != nil {
			return err
		}
	}
	return args(names).idle()
}

func shown(it shoptest.Product, of int, key, want string) error {
	if key == "variants" {
		return number(key, len(it.Variants), want)
	}
	if of >= len(it.Variants) {
		return fmt.Errorf("there are %d variants", len(it.Variants))
	}
	v := it.Variants[of]
	switch key {
	case "price", "cost", "msrp":
		got := map[string]string{"price": v.Price, "cost": v.Cost, "msrp": v.MSRP}[key]
		a, err := decimal.NewFromString(got)
		b, wrong := decimal.NewFromString(want)
		if err != nil || wrong != nil || !a.Equal(b) {
			return fmt.Errorf("%s: got %q, want %s", key, got, want)
		}
		return nil
	case "stock":
		return number(key, v.Quantity, want)
	case "backorders":
		return equal(key, strconv.FormatBool(v.Backorders), want)
	case "sku":
		return equal(key, v.SKU, want)
	case "ean":
		return equal(key, v.EAN, want)
	case "title":
		return equal(key, it.Title, want)
	case "title.nl":
		return equal(key, it.Translations["nl"].Title, want)
	case "html":
		return equal(key, it.Description, want)
	case "pictures":
		return number(key, len(it.Images), want)
	case "category":
		return equal(key, it.Category.Path, want)
	case "brand":
		return equal(key, it.Brand, want)
	}
	return fmt.Errorf("%s: nothing that a shop shows", key)
}

// reported holds the marketplace to what it was told of a product.
func (p *player) reported(a args) error {
	name, want := a[0], a[1]
	a = a[2:]
	at, _ := a.take("at")
	got, ok := p.Market.Publication(name)
	n := 0
	for _, r := range p.Market.Reports() {
		if r.ID == name {
			n++
		}
	}
	if want == "nothing" {
		return number("reports of "+name, n, "0")
	}
	if !ok {
		return fmt.Errorf("%s is not on the list", name)
	}
	if err := equal("status of "+name, got.Status, want); err != nil {
		return err
	}
	if !strings.HasPrefix(got.ProductURL, at) {
		return fmt.Errorf("address of %s: got %q, want %s", name, got.ProductURL, at)
	}
	if len(a) == 0 {
		return nil
	}
	times := map[string]string{"once": "1", "twice": "2"}[a[0]]
	if times == "" {
		times = a[0]
	}
	return number("reports of "+name, n, times)
}

// explains holds a product to its state, and to what the desk tells of it.
func (p *player) explains(what string, a args) error {
	name := a[0]
	e, err := p.Explain(name)
	if err != nil && what == "state" && a[1] == "unknown" {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	a = a[1:]
	if what == "state" {
		if err := equal("state of "+name, string(e.State), a[0]); err != nil {
			return fmt.Errorf("%w: %s", err, said(e))
		}
		a = a[1:]
	}
	return tells(e, a)
}

// tells holds a document to texts in it, or with "not" to their absence.
func tells(document any, a args) error {
	not := a.has("not")
	for _, text := range a {
		if strings.Contains(said(document), text) == not {
			return fmt.Errorf("got %s\n\twant it to tell, or not: %q", said(document), text)
		}
	}
	return nil
}

func said(document any) string {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	_ = e.Encode(document) // a document of ours
	return strings.TrimSpace(out.String())
}

// plans holds the last plan to what it names.
func (p *player) plans(what string, a args) error {
	ids := map[string][]string{"create": p.plan.Create, "withdraw": p.plan.Withdraw}[what]
	for _, h := range p.plan.Held {
		if what == "holds" {
			ids = append(ids, h.ID)
		}
	}
	switch what {
	case "nothing":
		if n := len(p.plan.Create) + len(p.plan.Change) + len(p.plan.Withdraw); n > 0 {
			return fmt.Errorf("got %s, want an empty plan", said(p.plan))
		}
		return a.idle()
	case "change":
		for _, c := range p.plan.Change {
			if c.ID == a[0] && c.Field == a[1] && (len(a) < 3 || c.New == a[2]) {
				return nil
			}
		}
		return fmt.Errorf("got %s, want that change", said(p.plan.Change))
	}
	if !slices.Contains(ids, a[0]) {
		return fmt.Errorf("got %s, want %s in it", said(p.plan), a[0])
	}
	return nil
}

// called holds the shop to how often it was asked since the line began.
func (p *player) called(a args) error {
	pairs, names := a.pairs()
	calls := p.World.Shop.Calls()[p.calls:]
	if len(pairs) == 0 && len(names) == 1 { // of every method but the check
		n := 0
		for _, c := range calls {
			if c.Method != shoptest.Check {
				n++
			}
		}
		return number("calls", n, names[0])
	}
	for _, pair := range pairs {
		n := 0
		for _, c := range calls {
			if c.Method == pair[0] || pair[0] == "create" && c.Created {
				n++
			}
		}
		if err := number("calls of "+pair[0], n, pair[1]); err != nil {
			return err
		}
	}
	return args(names).idle()
}

// wrote holds the one write of a product since the line began to the groups that it named.
func (p *player) wrote(a args) error {
	var writes []string
	for _, c := range p.World.Shop.Calls(shoptest.Publish, shoptest.Figures) {
		if string(c.ID) == a[0] {
			writes = append(writes, c.Changed.String())
		}
	}
	writes = writes[min(p.written[a[0]], len(writes)):]
	if a[1] == "nothing" {
		return number("writes of "+a[0], len(writes), "0")
	}
	return equal("writes of "+a[0], strings.Join(writes, " then "), a[1])
}

// read holds the marketplace to how often the content of a product was read since the line began.
func (p *player) read(a args) error {
	pairs, _ := a.pairs()
	if len(pairs) != 1 {
		return errors.New("want NAME=N")
	}
	n := 0
	for _, r := range p.Market.Requests()[p.reads:] {
		if slices.Contains(r.Content, pairs[0][0]) {
			n++
		}
	}
	return number("readings of "+pairs[0][0], n, pairs[0][1])
}
