package laws

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// ofSupplier are the verbs of the publication and its changes. new and made have N variants, and a name behind "as";
// made publishes, on goes back. keep remembers publication and shop, look the shop; recall restores ref, undo product.
var ofSupplier = map[string]verb{
	"new":    (*player).begin,
	"made":   func(p *player) { p.begin(); p.publish(all) },
	"on":     func(p *player) { p.subject = p.named[p.words[0]] },
	"keep":   func(p *player) { p.before, p.shop = *p.subject, p.snapshot() },
	"look":   func(p *player) { p.shop = p.snapshot() },
	"recall": func(p *player) { p.ref = p.before.ref },
	"undo": func(p *player) {
		if p.refused = false; fields(p.words) == all {
			p.p = p.before.p
		} else {
			p.p = p.p.With(fields(p.words), p.before.p)
		}
	},
	"revise": func(p *player) { p.revise(number(p.words[0]), fields(p.words[1:])) },
	"change": func(p *player) {
		p.before, p.p = *p.subject, clone(p.p)
		changes[p.words[0]](&p.p)
	},
	"half-new": func(p *player) { p.p = clone(p.p); p.p.Variants[2] = p.revised(2).Variants[2] },
	"size": func(p *player) { // to so many variants, with other quantities
		p.p = p.sample(p.p.ID, number(p.words[0]))
		for i := range p.p.Variants {
			p.p.Variants[i].Quantity += 10 * len(p.done)
		}
	},
	"charge": func(p *player) {
		p.p = clone(p.p)
		for i, price := range p.words {
			p.p.Variants[i].Price = price
		}
	},
	"odd": func(p *player) {
		odd := oddTexts[p.words[0]]
		p.p.Title, p.p.Description = odd[0], odd[1]
		p.p = translated(p.p)
	},
	"long": func(p *player) {
		p.p.Description = strings.Repeat("<p>All that can be said of a lantern.</p>", 1500)
	},
	"translate": func(p *player) {
		p.revise(number(p.words[0]), all)
		for _, language := range p.Languages {
			title, text := fmt.Sprintf("Lamp %s (%s)", p.words[0], language), fmt.Sprintf("<p>Text %s</p>", p.words[0])
			p.p.Translations[language] = shopadapter.Translation{Title: title, Description: text}
		}
	},
	"details": func(p *player) { // of the supplier's change N, or none
		if p.words[0] != "none" {
			p.p = WithDetails(p.p, number(p.words[0]))
			return
		}
		p.p = withoutEANs(p.sample(p.p.ID, len(p.p.Variants)))
		p.p.Units = WithDetails(p.p, 0).Units
	},
	"unread": func(p *player) { // brand and details could not be read
		p.p = clone(p.p)
		p.p.Brand, p.p.Unknown = "", DetailGroups
		for i := range p.p.Variants {
			p.p.Variants[i].Details = shopadapter.Details{}
		}
	},
	"draft":  func(p *player) { p.p.Draft = p.words[0] == "on" },
	"refuse": func(p *player) { p.p, p.refused = p.RefuseVariant(clone(p.p), handled), true },
	"refuse-all": func(p *player) {
		for i := range p.p.Variants {
			p.p = p.RefuseVariant(clone(p.p), i)
		}
	},
	"spoil": func(p *player) { p.p = p.RefuseProduct(clone(p.p)) },
}

func (p *player) begin() {
	name := fmt.Sprint(p.albums)
	if len(p.words) > 1 {
		name = p.words[2]
	}
	p.subject = p.bench.subject(p.id(name), number(p.words[0]))
	if p.named[name] = p.subject; p.Uploads != nil {
		p.uploads = p.Uploads()
	}
}

// oddTexts are titles and descriptions that shops escape, tidy, trim or fold.
var oddTexts = map[string][2]string{
	"entities": {`Tom & "Jerry's" – ü, 日本 50%`, `<p>Tom &amp; &quot;Jerry&#39;s&quot; &ndash; &euro;5 &lt;b&gt;</p>`},
	"markup":   {`a < b > c &amp; d`, "<p>One<br>two<br />three</p>\r\n<ul><li>a</li>\n\n<li>b</li></ul>"},
	"quotes":   {`It's 5" wide; "so" it is…`, "Plain words, no markup & a sign\n\nand a second paragraph"},
	"emoji":    {`Emoji 🌱 and a\backslash`},
}

// ofCaller are the verbs of what the caller asks for and knows: hint gives another's ref, point the merchant's.
var ofCaller = map[string]verb{
	"bare":      func(p *player) { p.ref = p.subject.bare() },
	"left":      func(p *player) { p.ref.OnSale = true },
	"stateless": func(p *player) { p.ref.State = nil },
	"hint": func(p *player) {
		p.ref = p.named[p.words[0]].ref
		p.ref.Publication = p.p.ID
	},
	"point":     func(p *player) { p.ref = shopadapter.Ref{Publication: p.p.ID, Listing: p.foreign.Listing} },
	"ask":       func(p *player) { p.ref.OnSale, p.ref.Asked, p.ref.Revive, p.off = false, true, true, false },
	"reset":     func(p *player) { p.ref.Reset = fields(p.words) & shopadapter.TextFields },
	"give-back": func(p *player) { p.ref.Reset, p.edited, p.mine, p.typed = p.edited, 0, "", nil },
	"forget":    func(p *player) { p.restart(); p.ref = p.subject.bare() },
	"restart":   func(p *player) { p.restart() },
	"watched":   (*player).watch,
	"under":     func(p *player) { p.spoil(p.under(p.words[0])) },
	"mend":      func(p *player) { p.repair() },
	"end-context": func(p *player) {
		outer := p.ctx
		ended, end := context.WithCancel(outer)
		end()
		p.ctx = ended
		p.spoil(func() { p.ctx = outer })
	},
	"takes-figures": func(p *player) {
		why := "the shop takes no figures alone: each change comes whole"
		if p.Endpoint != nil {
			why = `GET /health does not say "figures": true, so each change comes as a PUT`
		}
		p.unless(p.info().Figures, why)
	},
}

// ofMerchant are the verbs of the shop's owner; the product then says what stands there.
var ofMerchant = map[string]verb{
	"edit": func(p *player) {
		group := fields(p.words)
		before := text(p.seen(), group)
		p.must("by hand", p.Edit(p.ctx, p.l.ID, group))
		p.edited, p.mine = group, text(p.seen(), group)
		p.that(p.mine != before, "the harness's Edit changed nothing that Observe shows")
	},
	"type": func(p *player) {
		name, id, group := p.words[0], p.p.Variants[0].ID, shopadapter.FieldDetails
		was, _ := p.seen().detail(id, name)
		p.must("by hand", p.EditDetail(p.ctx, p.l.ID, p.variant(0), name))
		is, _ := p.seen().detail(id, name)
		p.that(is != was, "the harness's EditDetail changed nothing that Observe shows")
		if name == "brand" {
			group = shopadapter.FieldBrand
		}
		p.edited, p.typed = group, map[string]string{name: is}
	},
	"rename": func(p *player) {
		l, shown := p.ref.Listing, p.word("Color")
		if p.called[p.words[0]] = p.words[1]; p.words[0] == "Color" {
			p.must("by hand", p.RenameOption(p.ctx, l, shown, p.words[1]))
		} else {
			p.must("by hand", p.RenameValue(p.ctx, l, shown, p.words[0], p.words[1]))
		}
	},
	"foreign": func(p *player) { // the merchant's, which looks like this one
		id, err := p.AddForeign(p.ctx, clone(p.p))
		p.must("add foreign", err)
		p.foreign = p.held(id)
	},
	"tax": func(p *player) {
		p.AddTax(p.words[0])
		p.restart()
		p.equal("check: prices are net, since the shop adds tax", p.info().Prices.Net(), true)
	},
	"lose":          func(p *player) { p.back = p.LosePicture(p.images(number(p.words[0]))[0]) },
	"back":          func(p *player) { p.back() },
	"spoil-picture": func(p *player) { p.SpoilPicture(p.images(number(p.words[0]))[0]) },
	"hand": func(p *player) { // changes the listing, or its second variant
		p.p = clone(p.p)
		does := map[string]func() error{
			"delete":  func() error { p.made = ""; return p.DeleteByHand(p.ctx, p.l.ID) },
			"hide":    func() error { return p.HideByHand(p.ctx, p.l.ID) },
			"unstamp": func() error { return p.DeleteStamp(p.ctx, p.l.ID) },
			"reduce":  func() error { return p.ReduceByHand(p.ctx, p.l.ID, p.variant(handled), p.words[1]) },
			"price": func() error {
				p.p.Variants[handled].Price = p.words[1]
				return p.SetPriceByHand(p.ctx, p.l.ID, p.variant(handled), p.words[1])
			},
			"quantity": func() error {
				p.p.Variants[handled].Quantity = number(p.words[1])
				return p.SetQuantityByHand(p.ctx, p.l.ID, p.variant(handled), number(p.words[1]))
			},
			"remove": func() error {
				gone := p.variant(handled)
				p.p.Variants = slices.Delete(p.p.Variants, handled, handled+1)
				return p.RemoveVariantByHand(p.ctx, p.l.ID, gone)
			},
			"off": func() error { p.off = true; return p.HideVariantByHand(p.ctx, p.l.ID, p.variant(handled)) },
		}
		p.must("by hand", does[p.words[0]]())
	},
}

// ofCalls are the verbs of calls. put publishes and compares; update is revise and put; write names one of the groups
// that differ; figures may need the whole product; strike is a publish, write of figures or removal that is struck.
var ofCalls = map[string]verb{
	"publish": func(p *player) { p.publish(fields(p.words)) },
	"put":     func(p *player) { p.put(fields(p.words)) },
	"update": func(p *player) {
		p.revise(number(p.words[0]), fields(p.words[1:]))
		p.put(fields(p.words[1:]))
	},
	"write": func(p *player) {
		before, changed, send := p.p, fields(p.words[1:]), p.try
		if len(p.words) > 2 {
			send = p.tryFigures
		}
		p.revise(number(p.words[0]), all)
		p.took(send(changed), changed)
		// A body of figures alone is never whole: stock that it does not name may have been sold.
		whole := len(p.words) <= 2 && p.Endpoint != nil && p.Endpoint.Observed &&
			caught(func() { p.compare(p.seen(), p.p, all) }) == nil
		p.unless(!whole, "the shop stores each body whole, which is good where nobody edits there and nothing is sold "+
			"there: what a merchant changes is written over, PUBSYNC_SHOP_KEEP keeps nothing, and what was sold since the "+
			"last body is offered again")
		p.p = before.With(changed, p.p)
		p.shows(all)
	},
	"try": func(p *player) {
		err := p.try(fields(p.words))
		if p.ended(err); err == nil && p.ends == "settled" {
			p.shows(all)
		}
	},
	"figures": func(p *player) {
		err := p.tryFigures(fields(p.words))
		if p.ends != "" {
			p.ended(err)
		}
		if err == nil || p.ends == "" && !errors.Is(err, shopadapter.ErrWhole) {
			p.took(err, fields(p.words))
			p.shows(structure | shopadapter.TextFields)
		}
	},
	"figures-refused": func(p *player) {
		was, is := shopadapter.FiguresOf(p.before.p.Variants), shopadapter.FiguresOf(p.p.Variants)
		p.unless(!slices.Equal(was, is), "this shop refuses no figures")
		if err := p.tryFigures(figures); !errors.Is(err, shopadapter.ErrWhole) {
			p.took(err, figures)
			p.shows(figures)
		} else if p.seen().variant(is[handled].ID) < 0 {
			p.same("the shop", p.shop, p.snapshot())
		}
	},
	"unpublish": func(p *player) { p.unpublish(shopadapter.TakeOffline) },
	"delete":    func(p *player) { p.unpublish(shopadapter.Delete) },
	"withdraw":  func(p *player) { p.ended(p.withdraw(removal(p.words[0]))) },
	"check": func(p *player) {
		_, err := p.adapter.Check(p.ctx)
		p.discreet(err)
		p.ended(err)
	},
	"strike": func(p *player) {
		switch p.words[0] {
		case "figures":
			p.strike(p.struck, func() error { return p.tryFigures(figures) }) //nolint:errcheck // the next call mends it
		case "publish":
			if p.strike(p.struck, func() error { return p.try(all) }) == nil {
				// The adapter has coped on its own. Only a picture may wait for the next call.
				p.sound()
				p.shows(all &^ shopadapter.FieldImages)
			}
		default:
			how := removal(p.words[0])
			if p.strike(p.struck, func() error { return p.withdraw(how) }) == nil {
				p.isGone(how)
			}
		}
	},
	"arrive": func(p *player) {
		if p.struck.arrive != nil {
			p.struck.arrive()
		}
	},
	// show publishes pictures and counts uploads; behind "but" stands one that is late, behind "never" one refused.
	"show": func(p *player) {
		changed := all
		if p.made != "" {
			changed = shopadapter.FieldImages
		}
		p.p.Images = nil
		for _, word := range p.words {
			p.p.Images = append(p.p.Images, p.images(number(word))...)
		}
		want := strings.Fields(p.ends)
		var missing, said []shopadapter.Picture
		if len(want) > 1 {
			missing = []shopadapter.Picture{{URL: p.images(number(want[2]))[0], Later: want[1] == "but"}}
		}
		p.publish(changed)
		for _, m := range p.l.Missing {
			said = append(said, shopadapter.Picture{URL: m.URL, Later: m.Later})
			p.p.Images = slices.DeleteFunc(p.p.Images, func(address string) bool { return address == m.URL })
		}
		p.equal("missing pictures", said, missing)
		p.shows(all)
		p.uploaded(want[0])
	},
}
