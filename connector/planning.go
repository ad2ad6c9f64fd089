package connector

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// planning is one plan in the making.
type planning struct {
	*Planner
	plan    *Plan
	mapper  *mapper
	ours    map[string]shopadapter.Listed // what the shop says it made for us, where the store has never asked
	removed []string
}

func (p *planning) all(ctx context.Context, full bool) error {
	if err := p.checkAccount(ctx); err != nil {
		return err
	}
	if err := p.askShop(ctx); err != nil {
		return err
	}
	ids, listed, err := p.due(ctx, full)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := p.look(ctx, id); err != nil {
			return err
		}
	}
	if full {
		if err := p.absent(ctx, listed); err != nil {
			return err
		}
	}
	return p.judge()
}

// patiently calls again what fails for a transient reason, while patience lasts.
func (p *planning) patiently(ctx context.Context, call func() error) error {
	deadline := time.Now().Add(p.Patience)
	for attempt := 1; ; attempt++ {
		err := call()
		kind := marketplace.KindOf(err)
		if err == nil || ctx.Err() != nil || kind != marketplace.Transient && kind != marketplace.Throttled || errors.Is(err, marketplace.ErrNotSorted) {
			return err
		}
		wait := max(gateLeast, backoff(attempt, backoffOnce))
		if time.Now().Add(wait).After(deadline) {
			return err
		}
		sleep(ctx, nil, wait)
	}
}

func (p *planning) checkAccount(ctx context.Context) error {
	var account string
	err := p.patiently(ctx, func() (err error) {
		account, err = p.Marketplace.Account(ctx)
		return err
	})
	if err != nil {
		return err
	}
	have, err := p.Store.Meta("account")
	if err == nil && have != "" && account != "" && have != account {
		return &store.AccountError{Store: have, Token: account}
	}
	return err
}

func (p *planning) askShop(ctx context.Context) error {
	mapped, err := p.Store.Meta(metaMapped)
	if err != nil || p.Listings == nil {
		return err
	}
	if copied, err := p.Store.Meta(MetaCopied); err != nil || mapped != "" && copied == "" {
		return err
	}
	p.ours = map[string]shopadapter.Listed{}
	for l, err := range p.Listings(ctx) {
		if err != nil {
			return &ShopError{err}
		}
		p.ours[string(l.Ref.Publication)] = l
	}
	return nil
}

// due is the ids that a run would look at: what the list shows as new or changed, and what waits in the store.
func (p *planning) due(ctx context.Context, full bool) (ids []string, listed map[string]bool, err error) {
	var forms marketplace.Forms
	if err := p.patiently(ctx, func() (err error) {
		forms, err = p.Marketplace.Probe(ctx)
		return err
	}); err != nil {
		return nil, nil, err
	}
	sort, after := marketplace.IDDesc, ""
	if forms.UpdatedAtAsc && !full {
		cursor, _, err := p.Store.CursorOf(cursorUpdated)
		if err != nil {
			return nil, nil, err
		}
		sort, after = marketplace.UpdatedAtAsc, cursor.Value
	}
	listed = map[string]bool{}
	take := map[string]bool{}
	restarted := false
	for {
		var page marketplace.Page
		err := p.patiently(ctx, func() (err error) {
			page, err = p.Marketplace.List(ctx, marketplace.Sweep, sort, after)
			return err
		})
		if err != nil && !restarted && (isCursorRefused(err) || errors.Is(err, marketplace.ErrNotSorted)) {
			if !isCursorRefused(err) {
				sort = marketplace.IDDesc
			}
			restarted, after = true, ""
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		for _, e := range page.Entries {
			listed[e.ID] = true
			r, known, err := p.Store.Get(e.ID)
			if err != nil {
				return nil, nil, err
			}
			if full || !known || r.UpdatedAt != e.UpdatedAt {
				take[e.ID] = true
			}
		}
		if !page.More || page.End == "" {
			break
		}
		after = page.End
	}
	now := store.At(time.Now())
	waiting, err := p.Store.Marked(func(m store.Mark) bool { return m.Class != store.ClassRefresh && m.At <= now || wakes(m, now) }) // a run begins with waking what waits
	if err != nil {
		return nil, nil, err
	}
	for _, id := range waiting {
		take[id] = true
	}
	for id := range take {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids, listed, nil
}

// look plans one publication.
func (p *planning) look(ctx context.Context, id string) error {
	rec, _, err := p.Store.Get(id)
	if err != nil {
		return err
	}
	var pub *marketplace.Publication
	err = p.patiently(ctx, func() error {
		adm, err := p.Marketplace.Admit(ctx, marketplace.News)
		if err == nil {
			pub, err = p.Marketplace.Publication(ctx, adm, id, len(rec.Variants))
		}
		return err
	})
	if err != nil {
		return err
	}
	if ours, ok := p.ours[id]; ok && rec.ShopID == "" {
		rec.ShopID, rec.OnSale, rec.Attempted = string(ours.Ref.Listing), ours.OnSale, uint16(shopadapter.AllFields)
	}
	if mustGo(pub) != "" {
		if rec.OnSale {
			p.removed = append(p.removed, id)
		}
		return nil
	}
	if isForeign(pub, rec, p.Listings != nil) {
		p.plan.Held = append(p.plan.Held, HeldPlan{ID: id, Reason: foreignReason})
		return nil
	}
	d := p.mapper.desire(pub, rec)
	if d.problem != nil {
		return nil //nolint:nilerr // rejected: nothing would be created or changed
	}
	if stands(rec.Problem, fingerprintOf(d.product)) {
		return nil // refused as it is: a run would not try again
	}
	skus, err := p.Store.PreviewSKUs(id, d.order, d.skus)
	if err != nil {
		return err
	}
	d.assign(skus)
	for _, h := range d.holds {
		p.plan.Held = append(p.plan.Held, HeldPlan{ID: id, Reason: h.Reason})
	}
	if rec.ShopID == "" || rec.Removal.Done {
		p.plan.Create = append(p.plan.Create, id)
		return nil
	}
	changed := fingerprintOf(d.product).differing(d.product, rec)&^p.Rules.Keep | shopadapter.Fields(rec.Attempted|rec.Reset)
	p.plan.Change = append(p.plan.Change, changesOf(id, rec, d.product, changed)...)
	return nil
}

// absent finds what a full run would find gone.
func (p *planning) absent(ctx context.Context, listed map[string]bool) error {
	var unseen []string
	for r, err := range p.Store.Records() {
		if err != nil {
			return err
		}
		if !listed[r.ID] && r.OnSale && !r.Removal.Done {
			unseen = append(unseen, r.ID)
		}
	}
	for id, l := range p.ours {
		if !listed[id] && l.OnSale {
			unseen = append(unseen, id)
		}
	}
	if len(unseen) == 0 {
		return nil
	}
	slices.Sort(unseen)
	var looks map[string]*marketplace.Entry
	err := p.patiently(ctx, func() (err error) {
		looks, err = p.Marketplace.Look(ctx, marketplace.Sweep, unseen, false)
		return err
	})
	for _, id := range unseen {
		if entry, answered := looks[id]; answered && entry == nil && !slices.Contains(p.removed, id) {
			p.removed = append(p.removed, id)
		}
	}
	return err
}

// judge lets the brake decide on the removals.
func (p *planning) judge() error {
	if len(p.removed) == 0 {
		return nil
	}
	recent, err := p.Store.RemovedSince(time.Now().Add(-removalWindow))
	if err != nil {
		return err
	}
	onSale := 0
	for r, err := range p.Store.Records() {
		if err != nil {
			return err
		}
		switch {
		case r.OnSale && r.Removal.Go:
			recent++
		case r.OnSale:
			onSale++
		}
	}
	if onSale == 0 {
		onSale = len(p.ours)
	}
	slices.Sort(p.removed)
	if !p.Brake.removesTooMuch(onSale, recent, len(p.removed)) {
		p.plan.Withdraw = append(p.plan.Withdraw, p.removed...)
		return nil
	}
	for _, id := range p.removed {
		p.plan.Held = append(p.plan.Held, HeldPlan{ID: id, Reason: removalReason(len(p.removed), recent, onSale)})
	}
	return nil
}
