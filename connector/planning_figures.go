package connector

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/worker"
	"github.com/pubsync/pubsync/store"
)

// judgeBacklog finds out whether what is due is a backlog, of which a run reads the figures first.
func (p *planning) judgeBacklog(ctx context.Context, due []store.Mark) error {
	if !p.restocks(ctx) {
		return nil
	}
	if p.backlog = p.scarce != nil && p.scarce(); p.backlog {
		return nil
	}
	most, err := worker.PaidSoon(ctx, p.Marketplace)
	changes := 0
	for _, m := range due {
		if worker.Changes.Has(m.Class) {
			changes++
		}
	}
	p.backlog = err == nil && changes > most
	return err
}

// byFigures reports whether a run's look begins with the figures.
func (p *planning) byFigures(m store.Mark, r store.Record) bool {
	return p.backlog && publication.ByFigures(r, m, time.Now()) && p.Marketplace.FiguresFit(len(r.Variants))
}

// lookAtFigures plans a look at figures. It reports whether the publication is to be read in full
// instead.
func (p *planning) lookAtFigures(ctx context.Context, m store.Mark, r store.Record) (whole bool, err error) {
	var seen map[string]marketplace.Figures
	of := []marketplace.Expected{{ID: m.ID, Variants: len(r.Variants)}}
	asked := time.Now()
	if err := p.patiently(ctx, func() error {
		adm, err := p.Marketplace.AdmitFigures(ctx, marketplace.News, of)
		if err == nil {
			seen, err = p.Marketplace.Figures(ctx, adm, of)
		}
		if marketplace.KindOf(err) == marketplace.Invalid {
			return nil // as a run does, it reads in full what cannot be read otherwise
		}
		return err
	}); err != nil {
		return false, err
	}
	d, ok := p.decider.DecideFigures(r, m, seen[m.ID], asked)
	if !ok {
		return true, nil
	}
	return p.settleFigures(ctx, m, d)
}

// byRules plans a look without a reading, or leaves the publication to one.
func (p *planning) byRules(ctx context.Context, m store.Mark, r store.Record) error {
	now := time.Now()
	d, ok := p.decider.Reprice(r, m, now)
	if ok && (d.Step == publication.Settle || p.restocks(ctx)) {
		if whole, err := p.settleFigures(ctx, m, d); err != nil || !whole {
			return err
		}
	}
	_, err := p.draft.Settle(ctx, p.decider.ReadLater(r, m, now))
	return err
}

// settleFigures plans what follows from figures. It reports whether the publication is to be read
// in full instead.
func (p *planning) settleFigures(ctx context.Context, m store.Mark, d publication.Decision) (whole bool, err error) {
	for d.Step != publication.Settle {
		if d.Step == publication.Reread {
			_, err := store.Update(ctx, p.draft, func(_ *store.Report, s *store.Settlement) bool {
				d.Undo(&s.Record)
				return true
			}, m.ID)
			return true, err
		}
		if d, err = p.pretend(ctx, d); err != nil {
			return false, err
		}
	}
	for _, h := range d.Held() {
		p.plan.Held = append(p.plan.Held, desk.HeldPlan{ID: m.ID, Reason: h.Reason})
	}
	_, err = p.draft.Settle(ctx, d.Settlement(time.Now()))
	return false, err
}
