package story

import (
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

// hand has the merchant change products in the shop.
func hand(a *phrase) {
	does, of := a.one("delete", "hide", "show", "off", "on", "remove"), a.count("of", 1)-1
	for _, name := range a.rest() {
		there := a.World.Shop.Hand(name, func(it *shoptest.Product) {
			switch does {
			case "delete":
				it.Deleted, it.OnSale = true, false
			case "hide", "show":
				it.OnSale = does == "show"
			case "off":
				it.Off[it.Variants[of].ID] = true
			case "on":
				delete(it.Off, it.Variants[of].ID)
			case "remove":
				it.Variants = slices.Delete(it.Variants, of, of+1)
			}
			for _, c := range a.pairs {
				a.byHand(it, of, c.key, c.value)
			}
		})
		if !there {
			a.fail("the shop has no %s", name)
		}
	}
	a.pairs = nil
}

func (p *player) byHand(it *shoptest.Product, of int, key, value string) {
	v := &it.Variants[of]
	switch key {
	case "price":
		v.Price = value
		if value == "none" {
			v.Price = ""
		}
	case "stock":
		v.Quantity = p.number(value)
	case "sold":
		v.Quantity -= p.number(value)
	case "title":
		it.Title, it.Edited = value, it.Edited|shopadapter.FieldTitle
	case "html":
		it.Description, it.Edited = value, it.Edited|shopadapter.FieldDescription
	default:
		p.fail("%s: nothing that a hand changes", key)
	}
}

// A failing is calls of the shop that fail.
type failing struct {
	reply shoptest.Reply
	id    string // "": of every publication
	on    string // a method; "": all
	left  int    // so many more; below 0: without end
	panic string
}

// fails has calls of the shop fail from now on.
func fails(a *phrase) {
	how, wide, text := a.one("reject", "block", "retry", "panic"), a.has("wide"), a.value("text")
	if text == "" {
		text = "no"
	}
	f := failing{id: a.value("for"), on: a.value("on"), left: a.count("times", -1)}
	var e *shopadapter.Error
	switch how {
	case "reject":
		e = shopadapter.Reject("%s", text)
	case "block":
		e = shopadapter.Block("%s", text)
	case "retry":
		e = shopadapter.Retry("%s", text)
	case "panic":
		f.panic = text
	}
	if wide {
		e = e.Everywhere()
	}
	if after := a.value("after"); after != "" {
		e = e.After(a.span(after))
	}
	if wait := a.value("wait"); wait != "" {
		f.reply.Wait = a.span(wait)
	}
	cuts := map[string]shoptest.Cut{"before": shoptest.Before, "half": shoptest.Half, "after": shoptest.After}
	f.reply.Cut = cuts[a.value("cut")]
	if e != nil {
		f.reply.Err = e
	}
	a.decides(func() { a.failing = append(a.failing, f) })
}

// reply says how a call of the shop ends.
func (p *player) reply(c shoptest.Call) shoptest.Reply {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.failing {
		f := &p.failing[i]
		if f.left != 0 && (f.id == "" || f.id == string(c.ID)) && (f.on == "" || f.on == c.Method) {
			f.left--
			if f.panic != "" {
				panic(f.panic)
			}
			return f.reply
		}
	}
	r := shoptest.Reply{Refused: p.refused[string(c.ID)]}
	for _, address := range c.Product.Images {
		if p.lacks != "" {
			r.Missing = append(r.Missing, shopadapter.Picture{
				URL: address, Reason: "the host answered 503", Later: p.lacks == "later",
			})
		}
	}
	return r
}

// decides changes how the shop's calls end.
func (p *player) decides(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

func refuses(a *phrase) {
	name, of, reason := a.next(), a.value("of"), a.next()
	a.decides(func() { a.refused[name] = map[string]string{name + "-v" + of: reason} })
}

func lacks(a *phrase) {
	when := "now"
	if a.has("later") {
		when = "later"
	}
	a.decides(func() { a.player.lacks = when })
}

func works(a *phrase) {
	a.decides(func() { a.failing, a.refused, a.player.lacks = nil, map[string]map[string]string{}, "" })
}
