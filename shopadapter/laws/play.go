package laws

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// A player goes through the steps of a law, in the order of the book: paragraphs of lines, of steps
// parted by semicolons. A step is a verb and its words; behind an arrow stands how a call may end.
// A paragraph may begin with "needs", without which it is passed over, and with "for NAME in
// VALUES", for each of which it is gone through with $NAME in it.
type player struct {
	*subject                     // the publication that the steps are about
	named    map[string]*subject // those that have a name
	count    int                 // publications so far
	before   subject             // as it was kept
	shop     []Seen              // as it was kept, or looked at
}

func play(b *bench, steps string) {
	p := &player{subject: &subject{bench: b}, named: map[string]*subject{}}
	for paragraph := range strings.SplitSeq(steps, "\n\n") {
		p.paragraph(strings.Split(strings.TrimSpace(paragraph), "\n"))
	}
}

func (p *player) paragraph(lines []string) {
	for i, line := range lines {
		switch words := strings.Fields(line); words[0] {
		case "needs":
			if slices.ContainsFunc(words[1:], func(need string) bool { return !p.can(need) }) {
				return
			}
		case "for":
			values, rest := words[3:], strings.Join(lines[i+1:], "\n")
			if values[0] == "texts" {
				values = p.texts()
			}
			for _, value := range values {
				p.paragraph(strings.Split(strings.ReplaceAll(rest, "$"+words[1], value), "\n"))
			}
			return
		default:
			for step := range strings.SplitSeq(line, ";") {
				p.in("%s", strings.TrimSpace(step))
				does, ends, _ := strings.Cut(step, " -> ")
				words := strings.Fields(does)
				if !p.changes(words[0], words[1:]) && !p.calls(words[0], words[1:], ends) {
					p.expects(words[0], words[1:])
				}
			}
		}
	}
}

func (p *player) can(need string) bool {
	if need == "figures" {
		return p.info().Figures
	}
	return p.has(need)
}

// texts are the text groups that the shop shows.
func (p *player) texts() (names []string) {
	for _, group := range textGroups {
		if !p.Hidden.Has(group) {
			names = append(names, group.String())
		}
	}
	return names
}

// number, fields and removal read a word. The book has no other.
func number(word string) int {
	n, err := strconv.Atoi(word)
	if err != nil {
		panic(err)
	}
	return n
}

func fields(words []string) shopadapter.Fields {
	switch {
	case len(words) == 0, words[0] == "all":
		return all
	case words[0] == "none":
		return shopadapter.NoFields
	}
	groups, err := shopadapter.ParseFields(strings.Split(words[0], ",")...)
	if err != nil {
		panic(err)
	}
	return groups
}

func removal(words []string) shopadapter.Removal {
	return bothWays[slices.Index([]string{"unpublish", "delete"}, words[0])]
}

// changes does what comes before a call, and reports whether the verb is one of these.
func (p *player) changes(verb string, words []string) bool {
	switch verb {
	// The publication: N variants [as NAME], published or not; on NAME goes back to it. keep
	// remembers it and the shop, look the shop alone; recall brings its ref back, undo its product.
	case "new", "made":
		p.count++
		name := fmt.Sprint(p.count)
		if len(words) > 1 {
			name = words[2]
		}
		p.subject = p.bench.subject(name, number(words[0]))
		p.named[name] = p.subject
		if verb == "made" {
			p.publish(all)
		}
	case "on":
		p.subject = p.named[words[0]]
	case "keep":
		p.before, p.shop = *p.subject, p.snapshot()
	case "look":
		p.shop = p.snapshot()
	case "recall":
		p.ref = p.before.ref
	case "undo":
		p.p, p.refused = merge(p.p, p.before.p, fields(words)), false

	// The supplier: the N-th change of the groups, and odd ones.
	case "revise":
		p.revise(number(words[0]), fields(words[1:]))
	case "half-new":
		p.p = clone(p.p)
		p.p.Variants[2] = p.bench.revise(p.p, 2).Variants[2]
	case "grow":
		p.p = p.bench.revise(p.sample(p.p.ID, 3), 1)
	case "sold-out":
		p.p.Variants[0].Quantity, p.p.Variants[0].Backorders = 0, true
	case "charge":
		p.p.Variants[0].Price = words[0]
	case "odd":
		p.p.Title, p.p.Description = oddTexts[words[0]].Title, oddTexts[words[0]].Description
		p.p = translated(p.p)
	case "fewer":
		p.p.Variants = p.p.Variants[:1]
	case "empty":
		p.p.Variants = nil
	case "twice":
		p.p = clone(p.p)
		p.p.Variants[1].ID = p.p.Variants[0].ID
	case "draft":
		p.p.Draft = words[0] == "on"
	case "refuse": // the second variant
		p.p, p.refused = p.RefuseVariant(clone(p.p), handled), true
	case "refuse-all":
		for i := range p.p.Variants {
			p.p = p.RefuseVariant(clone(p.p), i)
		}
	case "spoil":
		p.p = p.RefuseProduct(clone(p.p))

	// The caller, and what it still knows.
	case "bare":
		p.ref = p.subject.bare()
	case "left":
		p.ref = p.subject.left()
	case "unhint":
		p.ref.Listing = ""
	case "stateless":
		p.ref.State = nil
	case "hint": // that of another
		other := p.named[words[0]].ref
		p.ref = shopadapter.Ref{Publication: p.p.ID, Listing: other.Listing, State: other.State}
	case "ask":
		p.ref.OnSale, p.ref.Asked, p.ref.Revive, p.off = false, true, true, false
	case "reset":
		p.ref.Reset = fields(words) & shopadapter.TextFields
	case "give-back":
		p.giveBack()
	case "forget":
		p.forget()
	case "restart":
		p.restart()
	case "restart-shop":
		if p.Restart != nil {
			p.begin("restart the endpoint")
			p.must("restart", p.Restart(p.ctx))
		}

	// The shop's owner.
	case "edit":
		p.edit(fields(words))
	case "hand":
		p.hand(words)
	default:
		return false
	}
	return true
}

// calls makes a call, and reports whether the verb is one. put is publish after which the shop shows
// the product; update is revise and put; figures alone may need the whole product; write names one
// of the groups that differ.
func (p *player) calls(verb string, words []string, ends string) bool {
	switch verb {
	case "publish":
		p.publish(fields(words))
	case "put":
		p.put(fields(words))
	case "update":
		p.update(number(words[0]), fields(words[1:]))
	case "write":
		send := p.try
		if len(words) > 2 {
			send = p.tryFigures
		}
		p.write(number(words[0]), fields(words[1:]), send)
	case "try":
		p.ended(p.try(fields(words)), ends)
	case "figures":
		err := p.tryFigures(fields(words))
		if ends != "" {
			p.ended(err, ends)
		}
		if err == nil || ends == "" && !errors.Is(err, shopadapter.ErrWhole) {
			p.took(err, fields(words))
			p.shows(structure | shopadapter.TextFields)
		}
	case "unpublish":
		p.unpublish(shopadapter.TakeOffline)
	case "delete":
		p.unpublish(shopadapter.Delete)
	case "withdraw":
		p.ended(p.withdraw(p.ref, removal(words)), ends)
	default:
		return false
	}
	return true
}

// ended ends the check unless a call ended in one of the ways, which bars part.
func (p *player) ended(err error, ways string) {
	e := shopadapter.Explain(err)
	whole := errors.Is(err, shopadapter.ErrWhole)
	ends := map[string]bool{
		"ok": err == nil, "whole": whole, "whole-over-http": whole && p.Endpoint != nil,
		"gone": errors.Is(err, shopadapter.ErrGone), "hidden": errors.Is(err, shopadapter.ErrHidden),
		"rejected": e != nil && e.Kind == shopadapter.Rejected && !e.ShopWide && e.Error() != "",
		"blocked":  e != nil && e.Kind == shopadapter.Blocked && !e.ShopWide && e.Error() != "",
	}
	all := strings.Split(ways, "|")
	if slices.Contains(all, "remade") && err == nil && p.Endpoint != nil {
		p.skip("the endpoint makes a listing that was deleted by hand anew at once: 410 is optional")
	}
	if !slices.ContainsFunc(all, func(way string) bool { return ends[way] }) {
		p.fail("got %s, want it to end as %s", said(err), strings.Join(all, " or "))
	}
}

// expects holds the shop, its list or the last answer to what a law says.
func (p *player) expects(verb string, words []string) {
	was, is := p.before.l.ShopIDs(), p.l.ShopIDs()
	switch verb {
	case "shown":
		p.shows(fields(words))
	case "one":
		p.seen()
	case "gone":
		p.isGone(p.p.ID, removal(words))
	case "off-sale":
		p.isGone(p.p.ID, shopadapter.TakeOffline)
	case "none":
		p.isGone(p.p.ID, shopadapter.Delete)
	case "unchanged":
		p.unchanged(p.shop)
	case "same":
		p.equal("the address", p.l.URL, p.before.l.URL)
		p.equal("the ids of the variants", is, was)
		p.unchanged(p.shop)
	case "ids":
		for _, v := range p.seen().Variants {
			p.equal("the shop's id that publish returned for variant "+v.ID, is[v.ID], v.ShopID)
		}
	case "same-ids": // but for the variant that was changed by hand
		delete(was, p.p.Variants[handled].ID)
		delete(is, p.p.Variants[handled].ID)
		p.equal("the shop's ids of the other variants", is, was)
	case "called-draft":
		p.equal("the listing is called a draft", p.l.Draft, words[0] == "yes")
	case "observed":
		p.observed()
	case "told":
		p.told()
	case "tells":
		if p.told() == shopadapter.NoFields {
			p.skip("nothing tells whether a text was edited: no group is compared")
		}
	case "listed":
		o, ok := p.observation(everything)[p.p.ID]
		ok = ok || words[0] == "off" && p.Endpoint != nil // an endpoint may forget what it took out of sale
		if ok != (words[0] == "off") || o.OnSale {
			p.fail("list: %q: got it listed %t, on sale %t", p.p.ID, ok, o.OnSale)
		}
	case "reads-alone":
		if _, writes := p.requests(func() { p.watched() }); len(writes) > 0 {
			p.fail("requests of a list: got %q, want none that writes", writes)
		}
	case "takes-figures":
		p.needsFigures()
	case "visible":
		if p.Hidden.Has(shopadapter.FieldTitle | shopadapter.FieldDescription | shopadapter.FieldImages |
			shopadapter.FieldCategory | figures) {
			p.skip("every field group is hidden, so that nothing tells what was written")
		}
	default:
		panic("the book has no verb " + verb)
	}
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
