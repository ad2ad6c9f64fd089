package story

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

// phrases are by first word. Any other phrase is a figure of the last summary.
var phrases = map[string]func(a *phrase){
	"with": with, "set": set, "market": market, "list": list, "supply": supply, "hand": hand,
	"unlist": func(a *phrase) { a.Market.Remove(a.rest()...) },
	"relist": func(a *phrase) { a.Market.Restore(a.rest()...) },

	"shop-fails": fails,
	"shop-works": func(a *phrase) { a.ruled(nil) },
	"shop-moves": func(a *phrase) { a.World.Shop.Move(a.next()) },

	"run": run, "webhook": webhook, "approve": answer, "decline": answer, "retry": retry,
	"plan":  func(a *phrase) { a.player.plan = a.Plan(a.has("full")) },
	"wait":  func(a *phrase) { a.Wait(a.span(a.next())) },
	"start": (*phrase).Start, "stop": (*phrase).Stop, "restart": func(a *phrase) { a.Stop(); a.Start() },
	"lose": (*phrase).Lose, "save": (*phrase).Save, "put-back": (*phrase).PutBack,

	"shop": (*phrase).shows, "reported": (*phrase).reported,
	"state": (*phrase).explained, "explain": (*phrase).explained,
	"status": func(a *phrase) { s, err := a.Status(); a.must(err); a.tells(s) },
	"calls":  (*phrase).called, "wrote": (*phrase).wrote, "reads": (*phrase).read,
	"registered": func(a *phrase) { a.holds("registrations", len(a.Market.Webhooks()), a.next()) },
	"answers":    func(a *phrase) { a.holds("the answer", a.answer, a.next()) },

	"create": (*phrase).planned, "change": (*phrase).planned, "withdraw": (*phrase).planned,
	"holds": (*phrase).planned, "nothing": (*phrase).planned, "readings": (*phrase).planned,
}

func with(a *phrase) {
	p := a.player
	p.can = shoptest.Abilities{
		Lists: a.has("lists"), Observes: a.has("observes"), Figures: a.has("figures"), Literal: a.has("literal"),
		Currency: a.value("currency"), VAT: a.value("vat"),
	}
	p.World.Shop.Can(p.can)
}

func set(a *phrase) {
	for _, pair := range a.given() {
		name, value, _ := strings.Cut(pair, "=")
		a.Set(name, value)
	}
}

func market(a *phrase) {
	if a.has("unregister") {
		for _, w := range a.Market.Webhooks() {
			a.Market.DeleteWebhook(w.ID)
		}
		return
	}
	o := sandbox.Order{Executed: a.has("executed"), On: sandbox.Kind(a.value("on"))}
	o.Next = a.number(cmp.Or(a.value("next"), "0"))
	o.Do = a.rest()
	_, err := a.Market.Carry(o)
	a.must(err)
}

func run(a *phrase) {
	a.summary = a.World.Run(a.has("full"), cmp.Or(a.span(a.value("patience")), desk.DefaultPatience))
}

// answer approves or declines; with "any" nothing need be held.
func answer(a *phrase) {
	a.has("all")
	may := a.has("any")
	if err := a.Answer(a.verb == "decline", a.rest(), a.value("kind")); !may {
		a.must(err)
	}
}

func retry(a *phrase) {
	reset := a.has("reset")
	a.has("failed")
	a.must(a.World.Retry(a.rest(), reset))
}

func webhook(a *phrase) {
	unsigned, product, ahead := a.has("unsigned"), a.has("product"), a.value("ahead")
	for _, name := range a.rest() {
		what, of := "publication", map[string]any{"id": name}
		if product {
			what, of["id"] = "product", name+"-product"
		}
		if ahead != "" {
			of["updatedAt"] = time.Now().Add(a.span(ahead)).UTC().Format(time.RFC3339)
		}
		body, err := json.Marshal(map[string]any{"data": map[string]any{what: of}})
		a.must(err)
		a.player.answer = a.Webhook(string(body), !unsigned)
	}
}

// A rule changes how a call of the shop ends; with last no other rule is asked.
type rule func(c shoptest.Call, r *shoptest.Reply) (last bool)

func (p *player) reply(c shoptest.Call) (r shoptest.Reply) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, rule := range p.rules {
		if rule(c, &r) {
			break
		}
	}
	return r
}

// ruled adds a rule; nil removes all.
func (p *player) ruled(r rule) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rules = append(p.rules, r); r == nil {
		p.rules = nil
	}
}

func fails(a *phrase) {
	how, wide, text := a.one("reject", "block", "retry", "panic", "refuse", "lack", "late"), a.has("wide"), a.value("text")
	id, on, of, left := a.value("for"), a.value("on"), a.value("of"), a.number(cmp.Or(a.value("times"), "-1"))
	cuts := map[string]shoptest.Cut{"before": shoptest.Before, "after": shoptest.After}
	reply := shoptest.Reply{Wait: a.span(a.value("wait")), Cut: cuts[a.value("cut")]}
	e := &shopadapter.Error{
		Message: cmp.Or(text, "no"), ShopWide: wide, RetryAfter: a.span(a.value("after")), Limited: a.has("limited"),
	}
	kind, is := map[string]shopadapter.Kind{
		"reject": shopadapter.Rejected, "block": shopadapter.Blocked, "retry": shopadapter.Transient,
	}[how]
	if e.Kind = kind; is {
		reply.Err = e
	}
	a.ruled(func(c shoptest.Call, r *shoptest.Reply) bool {
		if left == 0 || id != "" && id != string(c.ID) || on != "" && on != c.Method {
			return false
		}
		left--
		switch how {
		case "panic":
			panic(text)
		case "refuse":
			r.Refused = map[string]string{id + "-v" + of: text}
		case "lack", "late":
			r.Missing = nil // the last word on pictures counts
			for _, address := range c.Product.Images {
				picture := shopadapter.Picture{URL: address, Reason: "the host answered 503", Later: how == "late"}
				r.Missing = append(r.Missing, picture)
			}
		default:
			*r = reply
			return true
		}
		return false
	})
}

// list makes publications whose ids are the products' names.
func list(a *phrase) {
	status, pairs := a.value("status"), a.given()
	for _, name := range a.rest() {
		v := sandbox.Variant{
			SKU: strings.ToUpper(name) + "-1", Cost: "10.00", MSRP: "20.00", Quantity: 5,
		}
		if slices.ContainsFunc(pairs, func(pair string) bool { return strings.HasPrefix(pair, "variants=") }) {
			v.Options = []sandbox.Option{{Name: "Size", Value: "No. 1"}}
		}
		l := &sandbox.Listing{
			Texts: map[string]sandbox.Text{
				"en": {Title: strings.ToUpper(name[:1]) + name[1:], Description: "<p>Made well.</p>"},
			},
			ProductID: name + "-product", Category: "GARDEN", Variants: []sandbox.Variant{v},
			Pictures: []sandbox.Picture{{URL: "https://images.example/" + name + "-1.png"}},
		}
		a.must(l.Apply(pairs...))
		for i := range l.Variants {
			l.Variants[i].ID = fmt.Sprintf("%s-v%d", name, i+1)
		}
		a.Market.Add(sandbox.Publication{ID: name, Listing: l, Status: status})
	}
}

func supply(a *phrase) {
	var how []sandbox.Change
	if a.has("quiet") {
		how = append(how, sandbox.KeepUpdatedAt)
	}
	pairs := a.given()
	for _, name := range a.rest() {
		a.must(a.Market.Supply(name, pairs, how...))
	}
}

// hand has the merchant change the shop.
func hand(a *phrase) {
	does, of := a.one("delete", "hide", "show", "off", "on", "remove"), a.variant()
	pairs := a.given()
	for _, name := range a.rest() {
		there := a.World.Shop.Hand(name, func(it *shoptest.Product) {
			switch does {
			case "delete":
				it.Deleted, it.OnSale = true, false
			case "hide", "show":
				it.OnSale = does == "show"
			case "off", "on":
				it.Off[it.Variants[of].ID] = does == "off"
			case "remove":
				it.Variants = slices.Delete(it.Variants, of, of+1)
			}
			v := &it.Variants[of]
			for _, pair := range pairs {
				switch key, value, _ := strings.Cut(pair, "="); key {
				case "price":
					v.Price = strings.TrimPrefix(value, "none")
				case "stock":
					v.Quantity = a.number(value)
				case "sold":
					v.Quantity -= a.number(value)
				case "title":
					it.Title, it.Edited = value, it.Edited|shopadapter.FieldTitle
				default:
					a.fail("%s: nothing that a hand changes", key)
				}
			}
		})
		if !there {
			a.fail("the shop has no %s", name)
		}
	}
}

func (a *phrase) shows() {
	name, of := a.next(), a.variant()
	on := a.one("on", "off", "none")
	it, there := a.World.Shop.Get(name)
	if there != (on != "none") {
		a.fail("the shop has %s: %t", name, there)
	}
	if on == "on" || on == "off" {
		a.holds(name+" on sale", it.OnSale, fmt.Sprint(on == "on"))
	}
	for _, pair := range a.given() {
		key, want, _ := strings.Cut(pair, "=")
		got, known := a.shown(it, of)[key]
		if !known {
			a.fail("%s: nothing that %s shows with %d variants", key, name, len(it.Variants))
		}
		a.holds(key+" of "+name, got, want)
	}
}

func (p *player) shown(it shoptest.Product, of int) map[string]any {
	all := map[string]any{
		"variants": len(it.Variants), "pictures": len(it.Images), "title": it.Title, "html": it.Description,
		"title.nl": it.Translations["nl"].Title, "category": it.Category.Path, "brand": it.Brand,
	}
	if of < len(it.Variants) {
		v := it.Variants[of]
		all["price"], all["cost"], all["msrp"] = p.can.Prices().Shown(v.Price), v.Cost, v.MSRP
		all["stock"], all["backorders"], all["sku"], all["ean"] = v.Quantity, v.Backorders, v.SKU, v.EAN
	}
	return all
}
