package story

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

// hand has the merchant change products in the shop, those that the line begins with.
func hand(p *player, verb string, a args) error {
	name := a[0]
	a = a[1:]
	isName := func(word string) bool {
		_, ok := p.World.Shop.Get(word)
		return ok
	}
	if i := slices.IndexFunc(a, func(word string) bool { return !isName(word) }); i > 0 {
		for _, other := range a[:i] {
			if err := hand(p, verb, slices.Insert(slices.Clone(a[i:]), 0, other)); err != nil {
				return err
			}
		}
		a = a[i:]
	}
	of := 0
	if value, ok := a.take("of"); ok {
		n, err := strconv.Atoi(value)
		if err != nil {
			return err
		}
		of = n - 1
	}
	pairs, names := a.pairs()
	var failed error
	found := p.World.Shop.Hand(name, func(it *shoptest.Product) {
		for _, word := range names {
			switch word {
			case "delete":
				it.Deleted, it.OnSale = true, false
			case "hide":
				it.OnSale = false
			case "show":
				it.OnSale = true
			case "off":
				it.Off[it.Variants[of].ID] = true
			case "on":
				delete(it.Off, it.Variants[of].ID)
			case "remove":
				it.Variants = slices.Delete(it.Variants, of, of+1)
			default:
				failed = fmt.Errorf("%s: nothing that a hand does", word)
			}
		}
		for _, pair := range pairs {
			failed = errors.Join(failed, byHand(it, of, pair[0], pair[1]))
		}
	})
	if !found {
		return fmt.Errorf("the shop has no %s", name)
	}
	return failed
}

func byHand(it *shoptest.Product, of int, key, value string) (err error) {
	v := &it.Variants[of]
	switch key {
	case "price":
		v.Price = value
		if value == "none" {
			v.Price = ""
		}
	case "stock":
		v.Quantity, err = strconv.Atoi(value)
	case "sold":
		n, failed := strconv.Atoi(value)
		v.Quantity, err = v.Quantity-n, failed
	case "title":
		it.Title, it.Edited = value, it.Edited|shopadapter.FieldTitle
	case "html":
		it.Description, it.Edited = value, it.Edited|shopadapter.FieldDescription
	default:
		return fmt.Errorf("%s: nothing that a hand changes", key)
	}
	return err
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
func fails(p *player, _ string, a args) error {
	f := failing{left: -1}
	text, _ := a.take("text")
	if text == "" {
		text = "no"
	}
	var e *shopadapter.Error
	switch {
	case a.has("reject"):
		e = shopadapter.Reject("%s", text)
	case a.has("block"):
		e = shopadapter.Block("%s", text)
	case a.has("retry"):
		e = shopadapter.Retry("%s", text)
	case a.has("panic"):
		f.panic = text
	}
	if a.has("wide") && e != nil {
		e = e.Everywhere()
	}
	pairs, names := a.pairs()
	for _, pair := range pairs {
		var err error
		switch pair[0] {
		case "for":
			f.id = pair[1]
		case "on":
			f.on = pair[1]
		case "times":
			f.left, err = strconv.Atoi(pair[1])
		case "after":
			d, failed := time.ParseDuration(pair[1])
			e, err = e.After(d), failed
		case "wait":
			f.reply.Wait, err = time.ParseDuration(pair[1])
		case "status":
			f.reply.Status, err = strconv.Atoi(pair[1])
		case "cut":
			f.reply.Cut = map[string]shoptest.Cut{
				"before": shoptest.Before, "half": shoptest.Half, "after": shoptest.After,
			}[pair[1]]
		default:
			return fmt.Errorf("%s: no part of a failure", pair[0])
		}
		if err != nil {
			return err
		}
	}
	if e != nil {
		f.reply.Err = e
	}
	p.failing = append(p.failing, f)
	return args(names).idle()
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

func refuses(p *player, _ string, a args) error {
	of, _ := a.take("of")
	if len(a) != 2 {
		return errors.New("want NAME of=N REASON")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refused[a[0]] = map[string]string{a[0] + "-v" + of: a[1]}
	return nil
}

func lacks(p *player, _ string, a args) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lacks = "now"
	if a.has("later") {
		p.lacks = "later"
	}
	return a.idle()
}

func works(p *player, _ string, a args) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failing, p.refused, p.lacks = nil, map[string]map[string]string{}, ""
	return a.idle()
}
