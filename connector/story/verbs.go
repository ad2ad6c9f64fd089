package story

import (
	"encoding/json"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// verbs are what a line can do.
var verbs = map[string]func(a *phrase){
	"with": with, "set": set, "market": market,
	"list":   func(a *phrase) { a.products(a.list) },
	"supply": func(a *phrase) { a.products(a.supply) },
	"unlist": func(a *phrase) { a.Market.Remove(a.rest()...) },
	"relist": func(a *phrase) { a.Market.Restore(a.rest()...) },

	"hand": hand, "shop-fails": fails, "shop-refuses": refuses, "shop-lacks-pictures": lacks, "shop-works": works,
	"shop-moves": func(a *phrase) { a.World.Shop.Move(a.next()) },

	"run": run, "webhook": webhook,
	"plan":    func(a *phrase) { a.player.plan = a.Plan(a.has("full")) },
	"wait":    func(a *phrase) { a.Wait(a.span(a.next())) },
	"approve": answer, "decline": answer, "retry": retry,
	"start":    func(a *phrase) { a.Start() },
	"stop":     func(a *phrase) { a.Stop() },
	"restart":  func(a *phrase) { a.Stop(); a.Start() },
	"lose":     func(a *phrase) { a.Lose() },
	"save":     func(a *phrase) { a.Save() },
	"put-back": func(a *phrase) { a.PutBack() },
}

func with(a *phrase) {
	p := a.player
	p.can.Lists, p.can.Observes, p.can.Figures = a.has("lists"), a.has("observes"), a.has("figures")
	p.can.Literal, p.can.Currency, p.can.VAT = a.has("literal"), a.value("currency"), a.value("vat")
	p.World.Shop.Can(p.can)
}

func set(a *phrase) {
	for _, c := range a.pairs {
		a.Set(c.key, c.value)
	}
	a.pairs = nil
}

// market has the sandbox carry out an order.
func market(a *phrase) {
	switch what := a.next(); what {
	case "variants":
		a.Market.ShowVariants(map[string]sandbox.VariantList{
			"shown": sandbox.VariantsOfListings, "refused": sandbox.VariantsRefused, "failing": sandbox.VariantsFailing,
		}[a.next()])
	case "unregister":
		for _, w := range a.Market.Webhooks() {
			a.Market.DeleteWebhook(w.ID)
		}
	default:
		o := sandbox.Order{Executed: a.has("executed"), On: sandbox.Kind(a.value("on")), Next: a.count("next", 0)}
		o.Do = append([]string{what}, a.rest()...)
		_, err := a.Market.Carry(o)
		a.must(err)
	}
}

func run(a *phrase) {
	patience := desk.DefaultPatience
	if value := a.value("patience"); value != "" {
		patience = a.span(value)
	}
	a.summary = a.World.Run(a.has("full"), patience)
}

// answer approves or declines what is held.
func answer(a *phrase) {
	a.has("all")
	a.must(a.Answer(a.verb == "decline", a.rest(), a.value("kind")))
}

func retry(a *phrase) {
	reset := a.has("reset")
	a.has("failed")
	a.must(a.World.Retry(a.rest(), reset))
}

// webhook delivers webhooks for publications, or for the products of some.
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
