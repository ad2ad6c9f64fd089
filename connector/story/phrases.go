package story

import (
	"cmp"
	"encoding/json"
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
