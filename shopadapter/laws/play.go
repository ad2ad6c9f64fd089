package laws

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

// A player goes through the steps of a law: paragraphs of lines, of steps parted by semicolons. A step is a verb and
// its words; behind an arrow stands how a call may end.
//
// A paragraph with unmet "needs" is skipped. "for NAME in VALUES" repeats it with each value as $NAME, and "struck"
// for each place at which its call can be struck, see bench.cuts.
type player struct {
	*subject                     // the present publication
	named    map[string]*subject // by name
	words    []string            // of the step, behind its verb
	ends     string              // behind its arrow
	before   subject             // as kept
	shop     []Seen              // as kept or looked at
	struck   *cut                // where the call is struck
	foreign  Seen                // the merchant's product
	uploads  int                 // before the publication was made
	back     func()              // of the lost picture
	over     bool                // skips the rest of the paragraph
	token    string              // of requests past the adapter
	reply    *wire.Answer        // to the last of them
}

type verb = func(p *player)

func play(b *bench, steps string) {
	p := &player{subject: &subject{bench: b}, named: map[string]*subject{}}
	if b.Endpoint != nil {
		p.token = b.Endpoint.Token
	}
	for paragraph := range strings.SplitSeq(steps, "\n\n") {
		p.paragraph(strings.Split(strings.TrimSpace(paragraph), "\n"))
	}
}

func (p *player) paragraph(lines []string) {
	p.over, p.done = false, nil
	for i, line := range lines {
		rest := strings.Join(lines[i+1:], "\n")
		switch words := strings.Fields(line); words[0] {
		case "needs":
			if slices.ContainsFunc(words[1:], func(need string) bool {
				return need == "figures" && !p.info().Figures || need != "figures" && !p.has(need)
			}) {
				return
			}
		case "for":
			for _, value := range p.values(words[3:]) {
				p.paragraph(strings.Split(strings.ReplaceAll(rest, "$"+words[1], value), "\n"))
			}
			return
		case "struck":
			for _, c := range p.cuts(words[1]) {
				p.struck = c
				p.everyPlace(c, func() { p.paragraph(strings.Split(rest, "\n")) })
			}
			return
		default:
			for step := range strings.SplitSeq(line, ";") {
				does, ends, _ := strings.Cut(step, "->")
				if words := strings.Fields(does); !p.over {
					p.done = append(p.done, strings.TrimSpace(step))
					p.words, p.ends = words[1:], strings.TrimSpace(ends)
					meaning(words[0])(p)
				}
			}
		}
	}
}

func meaning(word string) verb {
	for _, some := range []map[string]verb{ofSupplier, ofCaller, ofMerchant, ofCalls, ofShop, ofList, ofProtocol} {
		if does := some[word]; does != nil {
			return does
		}
	}
	panic("no such verb: " + word)
}

// values are a paragraph's as they stand, the text groups that the shop shows, or the details whose edits are kept.
func (p *player) values(words []string) (values []string) {
	switch words[0] {
	case "texts":
		for _, group := range textGroups {
			if !p.Hidden.Has(group) {
				values = append(values, group.String())
			}
		}
		return values
	case "details":
		follows := func(name string) bool { return slices.Contains(p.Followed, name) }
		return slices.DeleteFunc(slices.Clone(p.Details), follows)
	}
	return words
}

// number, fields and removal read a word of the book.
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

func removal(word string) shopadapter.Removal {
	return map[string]shopadapter.Removal{"unpublish": shopadapter.TakeOffline, "delete": shopadapter.Delete}[word]
}

var errAccepted = errors.New("no error: it was accepted")

// ended ends the check unless a call ended in one of the ways behind the arrow, with bars between.
func (p *player) ended(err error) {
	e := shopadapter.Explain(err)
	is := func(kind shopadapter.Kind, shopWide bool) bool {
		return e != nil && e.Kind == kind && e.ShopWide == shopWide && e.Error() != ""
	}
	whole, gone := errors.Is(err, shopadapter.ErrWhole), errors.Is(err, shopadapter.ErrGone)
	ends := map[string]bool{
		"ok": err == nil, "any": true, "whole": whole, "whole-over-http": whole && p.Endpoint != nil,
		"gone": gone, "hidden": errors.Is(err, shopadapter.ErrHidden),
		"rejected": is(shopadapter.Rejected, false), "blocked": is(shopadapter.Blocked, false),
		"refused": is(shopadapter.Blocked, true), "unreached": e != nil && e.Kind != shopadapter.Blocked,
		"cancelled": errors.Is(err, context.Canceled),
		"settled":   e == nil || gone || e.Kind != shopadapter.Transient,
	}
	ways := strings.Split(p.ends, "|")
	good := slices.ContainsFunc(ways, func(way string) bool { return ends[way] })
	p.that(good, "got %v, want it to end as %s", cmp.Or(err, errAccepted), strings.Join(ways, " or "))
}
