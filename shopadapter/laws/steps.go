package laws

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// A verb does a step: words are what stands behind it, and ends how its call may end.
type verb = func(p *player, words []string, ends string)

var verbs map[string]verb

func init() {
	verbs = map[string]verb{}
	for _, some := range []map[string]verb{ofSupplier, ofCaller, ofMerchant, ofPublish, ofShop, ofList} {
		maps.Copy(verbs, some)
	}
}

// ofSupplier are the verbs of the publication, and of its changes. new and made have N variants, and
// a name behind "as": published or not; on goes back to it. keep remembers it and the shop, look the
// shop alone; recall brings its ref back, undo its product.
var ofSupplier = map[string]verb{
	"new": func(p *player, words []string, _ string) {
		p.count++
		name := fmt.Sprint(p.count)
		if len(words) > 1 {
			name = words[2]
		}
		p.subject = p.bench.subject(name, number(words[0]))
		if p.named[name] = p.subject; p.Uploads != nil {
			p.uploads = p.Uploads()
		}
	},
	"made": func(p *player, words []string, _ string) {
		verbs["new"](p, words, "")
		p.publish(all)
	},
	"on":     func(p *player, words []string, _ string) { p.subject = p.named[words[0]] },
	"keep":   func(p *player, _ []string, _ string) { p.before, p.shop = *p.subject, p.snapshot() },
	"look":   func(p *player, _ []string, _ string) { p.shop = p.snapshot() },
	"recall": func(p *player, _ []string, _ string) { p.ref = p.before.ref },
	"undo": func(p *player, words []string, _ string) {
		if p.refused = false; fields(words) == all {
			p.p = p.before.p
		} else {
			p.p = p.p.With(fields(words), p.before.p)
		}
	},
	"revise": func(p *player, words []string, _ string) { p.revise(number(words[0]), fields(words[1:])) },
	// change makes one of the changes of choices, or of those below.
	"change": func(p *player, words []string, _ string) {
		p.before, p.p = *p.subject, clone(p.p)
		changes[words[0]](&p.p)
	},
	"half-new": func(p *player, _ []string, _ string) {
		p.p = clone(p.p)
		p.p.Variants[2] = p.bench.revise(p.p, 2).Variants[2]
	},
	"grow": func(p *player, _ []string, _ string) { p.p = p.bench.revise(p.sample(p.p.ID, 3), 1) },
	"size": func(p *player, words []string, _ string) { // to so many variants, with other quantities
		p.p = p.sample(p.p.ID, number(words[0]))
		for i := range p.p.Variants {
			p.p.Variants[i].Quantity += 10 * p.steps
		}
	},
	"charge": func(p *player, words []string, _ string) {
		p.p = clone(p.p)
		for i, price := range words {
			p.p.Variants[i].Price = price
		}
	},
	"odd": func(p *player, words []string, _ string) {
		p.p.Title, p.p.Description = oddTexts[words[0]].Title, oddTexts[words[0]].Description
		p.p = translated(p.p)
	},
	"translate": func(p *player, words []string, _ string) {
		p.revise(number(words[0]), all)
		for _, language := range p.Languages {
			p.p.Translations[language] = shopadapter.Translation{
				Title: fmt.Sprintf("Lamp %s (%s)", words[0], language), Description: fmt.Sprintf("<p>Text %s</p>", words[0]),
			}
		}
	},
	"details": func(p *player, words []string, _ string) { // of the supplier's change N, or none
		if words[0] != "none" {
			p.p = WithDetails(p.p, number(words[0]))
			return
		}
		units := WithDetails(p.p, 0).Units
		p.p = withoutEANs(p.sample(p.p.ID, len(p.p.Variants)))
		p.p.Units = units
	},
	"unread": func(p *player, _ []string, _ string) { // brand and details could not be read
		p.p = clone(p.p)
		p.p.Brand, p.p.Unknown = "", DetailGroups
		for i := range p.p.Variants {
			p.p.Variants[i].Details = shopadapter.Details{}
		}
	},
	"draft":  func(p *player, words []string, _ string) { p.p.Draft = words[0] == "on" },
	"refuse": func(p *player, _ []string, _ string) { p.p, p.refused = p.RefuseVariant(clone(p.p), handled), true },
	"refuse-all": func(p *player, _ []string, _ string) {
		for i := range p.p.Variants {
			p.p = p.RefuseVariant(clone(p.p), i)
		}
	},
	"spoil": func(p *player, _ []string, _ string) { p.p = p.RefuseProduct(clone(p.p)) },
}

// ofCaller are the verbs of what the caller asks for, and of what it still knows.
var ofCaller = map[string]verb{
	"bare": func(p *player, _ []string, _ string) { p.ref = p.subject.bare() },
	"left": func(p *player, _ []string, _ string) {
		p.ref = shopadapter.Ref{Publication: p.p.ID, Listing: p.ref.Listing, State: p.ref.State, OnSale: true}
	},
	"unhint":    func(p *player, _ []string, _ string) { p.ref.Listing = "" },
	"stateless": func(p *player, _ []string, _ string) { p.ref.State = nil },
	"hint": func(p *player, words []string, _ string) { // that of another
		other := p.named[words[0]].ref
		p.ref = shopadapter.Ref{Publication: p.p.ID, Listing: other.Listing, State: other.State}
	},
	"point": func(p *player, _ []string, _ string) { // to the merchant's product
		p.ref = shopadapter.Ref{Publication: p.p.ID, Listing: p.foreign.Listing}
	},
	"ask": func(p *player, _ []string, _ string) {
		p.ref.OnSale, p.ref.Asked, p.ref.Revive, p.off = false, true, true, false
	},
	"reset": func(p *player, words []string, _ string) { p.ref.Reset = fields(words) & shopadapter.TextFields },
	"give-back": func(p *player, _ []string, _ string) { // the edited texts, to the supplier
		p.ref.Reset, p.mine, p.typed = p.edited(), nil, nil
	},
	"forget":  func(p *player, _ []string, _ string) { p.forget() },
	"restart": func(p *player, _ []string, _ string) { p.restart() },
	"restart-shop": func(p *player, _ []string, _ string) {
		if p.Restart != nil {
			p.begin("restart the endpoint")
			p.must("restart", p.Restart(p.ctx))
		}
	},
	"adopting": func(p *player, _ []string, _ string) {
		p.Open = p.OpenAdopting
		p.restart()
	},
}

// ofMerchant are the verbs of the shop's owner, of which the product then says what stands there.
var ofMerchant = map[string]verb{
	"edit": func(p *player, words []string, _ string) {
		group := fields(words)
		before := text(p.seen(), group)
		p.must("by hand", p.Edit(p.ctx, p.l.ID, group))
		mine := text(p.seen(), group)
		if mine == before {
			p.fail("the harness's Edit changed nothing that Observe shows")
		}
		p.mine = map[shopadapter.Fields]string{group: mine}
	},
	"type": func(p *player, words []string, _ string) {
		name, id := words[0], p.p.Variants[0].ID
		was, _ := p.seen().detail(id, name)
		p.must("by hand", p.EditDetail(p.ctx, p.l.ID, p.variant(0), name))
		is, _ := p.seen().detail(id, name)
		if is == was {
			p.fail("the harness's EditDetail changed nothing that Observe shows")
		}
		group := shopadapter.FieldDetails
		if name == "brand" {
			group = shopadapter.FieldBrand
		}
		p.mine, p.typed = map[shopadapter.Fields]string{group: ""}, map[string]string{name: is}
	},
	"rename": func(p *player, words []string, _ string) {
		option, l := "Color", p.ref.Listing
		shown := p.word(option)
		if p.words[words[0]] = words[1]; words[0] == option {
			p.must("by hand", p.RenameOption(p.ctx, l, shown, words[1]))
		} else {
			p.must("by hand", p.RenameValue(p.ctx, l, shown, words[0], words[1]))
		}
	},
	"foreign": func(p *player, words []string, _ string) { // a product of the merchant's own that looks like this one
		own := clone(p.p)
		own.Title = strings.Join(append(words, own.Title), " ")
		id, err := p.AddForeign(p.ctx, own)
		p.must("add foreign", err)
		p.foreign = p.held(id)
	},
	"tax": func(p *player, words []string, _ string) { p.AddTax(words[0]); p.restart() },
	"lose": func(p *player, words []string, _ string) {
		p.back = p.LosePicture(p.images(p.p.ID, number(words[0]))[0])
	},
	"back": func(p *player, _ []string, _ string) { p.back() },
	"spoil-picture": func(p *player, words []string, _ string) {
		p.SpoilPicture(p.images(p.p.ID, number(words[0]))[0])
	},
	// hand changes the listing, or its second variant.
	"hand": func(p *player, words []string, _ string) {
		p.begin("listing %s: %v by hand", p.l.ID, words)
		p.p = clone(p.p)
		does := map[string]func() error{
			"delete":  func() error { p.made = ""; return p.DeleteByHand(p.ctx, p.l.ID) },
			"hide":    func() error { return p.HideByHand(p.ctx, p.l.ID) },
			"unstamp": func() error { return p.DeleteStamp(p.ctx, p.l.ID) },
			"reduce":  func() error { return p.ReduceByHand(p.ctx, p.l.ID, p.variant(handled), words[1]) },
			"price": func() error {
				p.p.Variants[handled].Price = words[1]
				return p.SetPriceByHand(p.ctx, p.l.ID, p.variant(handled), words[1])
			},
			"quantity": func() error {
				p.p.Variants[handled].Quantity = number(words[1])
				return p.SetQuantityByHand(p.ctx, p.l.ID, p.variant(handled), number(words[1]))
			},
			"remove": func() error {
				gone := p.variant(handled)
				p.p.Variants = slices.Delete(p.p.Variants, handled, handled+1)
				return p.RemoveVariantByHand(p.ctx, p.l.ID, gone)
			},
			"off": func() error { p.off = true; return p.HideVariantByHand(p.ctx, p.l.ID, p.variant(handled)) },
		}
		p.must("by hand", does[words[0]]())
	},
}

// ofPublish are the verbs of calls. put is publish after which the shop shows the product; update is
// revise and put; figures alone may need the whole product; write names one of the groups that differ;
// strike is a publish, write of figures or removal that is struck.
var ofPublish = map[string]verb{
	"publish": func(p *player, words []string, _ string) { p.publish(fields(words)) },
	"put":     func(p *player, words []string, _ string) { p.put(fields(words)) },
	"update":  func(p *player, words []string, _ string) { p.update(number(words[0]), fields(words[1:])) },
	"write": func(p *player, words []string, _ string) {
		send := p.try
		if len(words) > 2 {
			send = p.tryFigures
		}
		p.write(number(words[0]), fields(words[1:]), send)
	},
	"try": func(p *player, words []string, ends string) {
		err := p.try(fields(words))
		if p.ended(err, ends); err == nil && ends == "settled" {
			p.shows(all)
		}
	},
	"figures": func(p *player, words []string, ends string) {
		err := p.tryFigures(fields(words))
		if ends != "" {
			p.ended(err, ends)
		}
		if err == nil || ends == "" && !errors.Is(err, shopadapter.ErrWhole) {
			p.took(err, fields(words))
			p.shows(structure | shopadapter.TextFields)
		}
	},
	"figures-refused": func(p *player, _ []string, _ string) {
		second := p.p.Variants[handled]
		if slices.Equal(shopadapter.FiguresOf(p.before.p.Variants), shopadapter.FiguresOf(p.p.Variants)) {
			p.skip("this shop refuses no figures")
		}
		if err := p.tryFigures(figures); !errors.Is(err, shopadapter.ErrWhole) {
			p.took(err, figures)
			p.shows(figures)
		} else if p.seen().variant(second.ID) < 0 {
			p.same("the shop", p.shop, p.snapshot())
		}
	},
	"unpublish": func(p *player, _ []string, _ string) { p.unpublish(shopadapter.TakeOffline) },
	"delete":    func(p *player, _ []string, _ string) { p.unpublish(shopadapter.Delete) },
	"withdraw":  func(p *player, words []string, ends string) { p.ended(p.withdraw(removal(words)), ends) },
	"strike": func(p *player, words []string, _ string) {
		switch words[0] {
		case "figures":
			p.strike(p.struck, func() error { return p.tryFigures(figures) }) //nolint:errcheck // the next call mends it
		case "publish":
			if p.strike(p.struck, func() error { return p.try(all) }) == nil {
				// The adapter has coped on its own. A picture may wait for the next call, nothing else.
				p.must("the call reported no error: result of publish", sound(p.l, p.p, all))
				p.shows(all &^ shopadapter.FieldImages)
			}
		default:
			how := removal(words)
			if p.strike(p.struck, func() error { return p.withdraw(how) }) == nil {
				p.isGone(p.p.ID, how)
			}
		}
	},
	"arrive": func(p *player, _ []string, _ string) {
		if p.struck.late != nil {
			p.struck.late.arrive()
		}
	},
	// show publishes these pictures, of which so many were taken in by then; behind "but" stands one
	// that is missing, and behind "never" one that is refused for good.
	"show": func(p *player, words []string, ends string) {
		changed := all
		if p.made != "" {
			changed = shopadapter.FieldImages
		}
		p.p.Images = p.images(p.p.ID, numbers(words)...)
		want := strings.Fields(ends)
		var missing, said []shopadapter.Picture
		if len(want) > 1 {
			missing = []shopadapter.Picture{{URL: p.images(p.p.ID, number(want[2]))[0], Later: want[1] == "but"}}
		}
		p.publish(changed)
		for _, m := range p.l.Missing {
			said = append(said, shopadapter.Picture{URL: m.URL, Later: m.Later})
			p.p.Images = slices.DeleteFunc(p.p.Images, func(address string) bool { return address == m.URL })
		}
		p.equal("missing pictures", said, missing)
		p.shows(all)
		verbs["uploaded"](p, want, "")
	},
}

// ofShop are the verbs that hold the shop, or the last answer, to what a law says.
var ofShop = map[string]verb{
	"shown":     func(p *player, words []string, _ string) { p.shows(fields(words)) },
	"one":       func(p *player, _ []string, _ string) { p.seen() },
	"gone":      func(p *player, words []string, _ string) { p.isGone(p.p.ID, removal(words)) },
	"off-sale":  func(p *player, _ []string, _ string) { p.isGone(p.p.ID, shopadapter.TakeOffline) },
	"none":      func(p *player, _ []string, _ string) { p.isGone(p.p.ID, shopadapter.Delete) },
	"unchanged": func(p *player, _ []string, _ string) { p.same("the shop", p.shop, p.snapshot()) },
	"untouched": func(p *player, _ []string, _ string) {
		p.same("the foreign product", p.foreign, p.held(p.foreign.Listing))
	},
	"same": func(p *player, _ []string, _ string) {
		p.equal("the address", p.l.URL, p.before.l.URL)
		p.equal("the ids of the variants", p.l.ShopIDs(), p.before.l.ShopIDs())
		p.same("the shop", p.shop, p.snapshot())
	},
	"ids": func(p *player, _ []string, _ string) {
		for _, v := range p.seen().Variants {
			p.equal("the shop's id that publish returned for variant "+v.ID, p.l.ShopIDs()[v.ID], v.ShopID)
		}
	},
	"same-ids": func(p *player, words []string, _ string) { // of what is there still; but the variant changed by hand
		for id, is := range p.l.ShopIDs() {
			was, there := p.before.l.ShopIDs()[id]
			if there && was != is && !(len(words) > 0 && id == p.p.Variants[handled].ID) {
				p.fail("the shop's id of variant %s: got %s, want %s", id, is, was)
			}
		}
	},
	"called-draft": func(p *player, words []string, _ string) {
		p.equal("the listing is called a draft", p.l.Draft, words[0] == "yes")
	},
	"uploaded": func(p *player, words []string, _ string) {
		if p.Uploads != nil {
			p.equal("uploads in all", p.Uploads()-p.uploads, number(words[0]))
		}
	},
	"spoken": func(p *player, _ []string, _ string) {
		for _, language := range p.Languages {
			got, want := p.seen().Translations[language], p.p.Translations[language]
			p.equal("the title in "+language, Plain(got.Title), Plain(want.Title))
			p.equal("the description in "+language, Plain(got.Description), Plain(want.Description))
		}
	},
	"detailed": func(p *player, _ []string, _ string) { p.detailed() },
	"same-details": func(p *player, _ []string, _ string) {
		details := func(s Seen) (all []map[string]string) {
			for _, v := range s.Variants {
				all = append(all, v.Details)
			}
			return append(all, s.Details)
		}
		before := p.shop[slices.IndexFunc(p.shop, func(s Seen) bool { return s.Publication == p.p.ID })]
		p.same("details that could not be read", details(before), details(sorted([]Seen{p.seen()})[0]))
	},
	"visit": func(p *player, _ []string, _ string) { p.visit() },
	// follow publishes after the merchant renamed something: each choice leads to its variant, or the
	// change is blocked and the choices stay.
	"follow": func(p *player, _ []string, _ string) {
		before, now := p.before.p, p.p
		err := p.try(structure)
		if e := shopadapter.Explain(err); e != nil && e.Kind == shopadapter.Blocked {
			p.p, p.over = clone(before), true
			for i := range p.p.Variants { // prices and stock may have been written
				p.p.Variants[i].Price, p.p.Variants[i].Quantity = now.Variants[i].Price, now.Variants[i].Quantity
			}
		} else {
			p.must("publish", err)
		}
		p.visit()
	},
	"takes-over": func(p *player, _ []string, _ string) {
		p.must("publish", p.try(all))
		p.must("result of publish", sound(p.l, p.p, all))
		p.equal("the listing, which is to be the merchant's product", p.l.ID, p.foreign.Listing)
		p.equal("the merchant's title", Plain(p.seen().Title), Plain(p.foreign.Title))
		p.shows(structure)
	},
	// left-to-the-merchant ends the check unless the merchant's product is there, out of sale, with the
	// texts it had; after a delete also with the variants it had, and no stamp.
	"left-to-the-merchant": func(p *player, words []string, _ string) {
		now, was := p.held(p.foreign.Listing), p.foreign
		p.equal("the merchant's product is on sale", now.OnSale, false)
		for _, group := range []shopadapter.Fields{shopadapter.FieldTitle, shopadapter.FieldDescription} {
			p.equal("the merchant's "+group.String(), text(now, group), text(was, group))
		}
		if words[0] == "delete" {
			p.equal("the publication whose stamp the merchant's product carries", now.Publication, was.Publication)
			ids := func(s Seen) (ids []string) {
				for _, v := range s.Variants {
					ids = append(ids, v.ShopID)
				}
				return slices.Sorted(slices.Values(ids))
			}
			p.equal("the variants of the merchant's product", ids(now), ids(was))
		}
	},
	"takes-figures": func(p *player, _ []string, _ string) {
		if !p.info().Figures {
			p.skip("the shop takes no figures alone: every change is read in full")
		}
	},
	"adds-tax": func(p *player, _ []string, _ string) {
		p.equal("check: prices are net, since the shop adds tax", p.info().Prices.Net(), true)
	},
	"visible": func(p *player, _ []string, _ string) {
		if p.Hidden.Has(shopadapter.FieldTitle | shopadapter.FieldDescription | shopadapter.FieldImages |
			shopadapter.FieldCategory | figures) {
			p.skip("every field group is hidden, so that nothing tells what was written")
		}
	},
}

// oddTexts are texts that shops escape, tidy, trim or fold as they store them.
var oddTexts = map[string]shopadapter.Translation{
	"entities": {
		Title:       `Tom & "Jerry's" – ü, 日本 50%`,
		Description: `<p>Tom &amp; &quot;Jerry&#39;s&quot; &ndash; &euro;5 &lt;b&gt;</p>`,
	},
	"markup": {
		Title:       `a < b > c &amp; d`,
		Description: "<p>One<br>two<br />three</p>\r\n<ul><li>a</li>\n\n<li>b</li></ul>",
	},
	"quotes": {
		Title:       `It's 5" wide; "so" it is…`,
		Description: "Plain words, no markup & a sign\n\nand a second paragraph",
	},
	"emoji": {Title: `Emoji 🌱 and a\backslash`},
}
