package story

import (
	"encoding/json"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
)

// verbs are what a line can do.
var verbs = map[string]func(p *player, verb string, a args) error{
	"with": with, "set": set, "list": list, "supply": supply, "unlist": unlist, "relist": unlist, "market": market,
	"hand": hand, "shop-fails": fails, "shop-refuses": refuses, "shop-lacks-pictures": lacks,
	"shop-works": works,
	"shop-moves": func(p *player, _ string, a args) error { p.World.Shop.Move(a[0]); return nil },
	"run":        run, "plan": plan, "wait": wait, "approve": answer, "decline": answer, "retry": retry,
	"webhook": webhook,
	"start":   working, "stop": working, "restart": working, "lose": ofStore, "save": ofStore, "put-back": ofStore,
}

func with(p *player, _ string, a args) error {
	p.can.Lists, p.can.Observes, p.can.Figures = a.has("lists"), a.has("observes"), a.has("figures")
	p.can.Literal = a.has("literal")
	p.can.Currency, _ = a.take("currency")
	p.can.VAT, _ = a.take("vat")
	p.World.Shop.Can(p.can)
	return a.idle()
}

func set(p *player, _ string, a args) error {
	pairs, names := a.pairs()
	for _, pair := range pairs {
		p.Set(pair[0], pair[1])
	}
	return args(names).idle()
}

func unlist(p *player, verb string, a args) error {
	if verb == "relist" {
		p.Market.Restore(a...)
	} else {
		p.Market.Remove(a...)
	}
	return nil
}

func run(p *player, _ string, a args) error {
	patience := desk.DefaultPatience
	if value, ok := a.take("patience"); ok {
		var err error
		if patience, err = time.ParseDuration(value); err != nil {
			return err
		}
	}
	p.summary = p.World.Run(a.has("full"), patience)
	return a.idle()
}

func plan(p *player, _ string, a args) error {
	p.plan = p.Plan(a.has("full"))
	return a.idle()
}

func wait(p *player, _ string, a args) error {
	span, err := time.ParseDuration(a[0])
	if err != nil {
		return err
	}
	p.Wait(span)
	return nil
}

func working(p *player, verb string, a args) error {
	if verb != "start" {
		p.Stop()
	}
	if verb != "stop" {
		p.Start()
	}
	return a.idle()
}

func ofStore(p *player, verb string, a args) error {
	map[string]func(){"lose": p.Lose, "save": p.Save, "put-back": p.PutBack}[verb]()
	return a.idle()
}

// answer approves or declines what is held.
func answer(p *player, verb string, a args) error {
	kind, _ := a.take("kind")
	a.has("all")
	return p.Answer(verb == "decline", a, kind)
}

func retry(p *player, _ string, a args) error {
	reset := a.has("reset")
	a.has("failed")
	return p.World.Retry(a, reset)
}

// webhook delivers webhooks for publications, or for the products of some.
func webhook(p *player, _ string, a args) error {
	unsigned, product := a.has("unsigned"), a.has("product")
	ahead, _ := a.take("ahead")
	for _, name := range a {
		what, of := "publication", map[string]any{"id": name}
		if product {
			what, of["id"] = "product", name+"-product"
		}
		if ahead != "" {
			span, err := time.ParseDuration(ahead)
			if err != nil {
				return err
			}
			of["updatedAt"] = time.Now().Add(span).UTC().Format(time.RFC3339)
		}
		body, err := json.Marshal(map[string]any{"data": map[string]any{what: of}})
		if err != nil {
			return err
		}
		p.answer = p.Webhook(string(body), !unsigned)
	}
	return nil
}
