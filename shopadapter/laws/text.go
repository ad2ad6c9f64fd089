package laws

import (
	"fmt"

	"github.com/pubsync/pubsync/shopadapter"
)

func checkMerchantsEdit(b *bench) {
	for _, group := range textGroups() {
		if b.Hidden.Has(group) {
			continue
		}
		b.in("an edit of %s", group)
		s := b.published(group.String(), 3)
		before := text(s.seen(), group)
		b.must("edit", b.Edit(b.ctx, s.l.ID, group))
		mine := text(s.seen(), group)
		if mine == before {
			b.fail("the harness's Edit changed nothing that Observe shows")
		}
		for n, step := range []struct {
			name          string
			restart       bool // every hint is lost
			changed, kept shopadapter.Fields
		}{
			{"the supplier changes everything", false, all, group},
			{"once more", false, all, group},
			{"after a restart without hints", true, all, group},
			{"the supplier changes price and stock", false, figures, 0},
		} {
			b.in("an edit of %s, %s", group, step.name)
			if step.restart {
				s.forget()
			}
			s.p = b.revise(s.p, n+1)
			s.put(step.changed)
			b.equal("kept", s.l.Kept, step.kept)
			b.equal("the text", text(s.seen(), group), mine)
			b.shows(s.p, step.changed&^group)
		}
		for n := range 2 { // given back to the supplier, whose it then stays
			b.in("an edit of %s, reset %d changes ago", group, n)
			if n == 0 {
				s.ref.Reset = group
			}
			s.update(5+n, all)
			b.equal("kept", s.l.Kept, shopadapter.NoFields)
		}
	}
}

func checkEditNotInvented(b *bench) {
	give := func(s *subject, n int) {
		if n > 0 {
			s.revise(n, all)
		}
	}
	b.lostOn(3, give, (*subject).shown)
}

func checkTranslation(b *bench) {
	b.lostOn(2, func(s *subject, n int) {
		s.revise(n+1, all)
		for _, language := range b.Languages {
			s.p.Translations[language] = shopadapter.Translation{
				Title: fmt.Sprintf("Lamp %d (%s)", n, language), Description: fmt.Sprintf("<p>Text %d</p>", n),
			}
		}
	}, func(s *subject) {
		for _, language := range b.Languages {
			got, want := s.seen().Translations[language], s.p.Translations[language]
			b.equal("the title in "+language, Plain(got.Title), Plain(want.Title))
			b.equal("the description in "+language, Plain(got.Description), Plain(want.Description))
		}
	})
}
