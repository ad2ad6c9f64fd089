package desk

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// stored is what the store alone tells.
func (l *Local) stored(ctx context.Context) (s Status, err error) {
	s = Status{
		Publications: map[store.State]int{},
		Cursors:      map[string]Since{},
		Store:        StoreStatus{Path: store.PathOf(l.Store), Bytes: store.SizeOf(l.Store)},
	}
	counts, err := l.Store.Counts(ctx)
	if err != nil {
		return s, err
	}
	for _, state := range store.States() {
		s.Publications[state] = counts[state]
	}
	now := time.Now()
	backlog, err := l.Store.Backlog(ctx, store.At(now))
	if err != nil {
		return s, err
	}
	s.Due, s.Outbox, s.Refused = backlog.Due, backlog.Owed, backlog.Refused
	if s.Denied, err = l.denied(ctx, s.Refused); err != nil {
		return s, err
	}
	if s.Rules, err = l.following(ctx, now); err != nil {
		return s, err
	}
	for _, name := range cursors {
		cursor, ok, err := l.Store.CursorOf(ctx, name)
		if err != nil {
			return s, err
		}
		if ok {
			s.Cursors[name] = Since{At: cursor.At.Time()}
		}
	}
	if s.Variants, err = variantsOf(ctx, l.Store); err != nil {
		return s, err
	}
	var compared publication.Compared
	if known, err := store.MetaJSON(ctx, l.Store, publication.MetaCompared, &compared); err != nil {
		return s, err
	} else if known {
		s.Compared = &compared
	}
	drifted, err := idsOf(store.Records(ctx, l.Store, store.Query{Key: store.KeyHold(store.HoldDrift)}), idOf)
	if err != nil {
		return s, err
	}
	compared.Held += len(drifted)
	if compared.Recurring, err = l.recurring(ctx, compared.Recurring); err != nil {
		return s, err
	}
	warning, err := l.Store.Meta(ctx, publication.MetaWarning)
	if err != nil {
		return s, err
	}
	s.Shop.Warning = cmp.Or(warning, compared.Page)
	s.Account, err = accountOf(ctx, l.Store)
	return s, err
}

// recurring is those of some products of which figures are left in the shop still.
func (l *Local) recurring(ctx context.Context, ids []string) (still []string, err error) {
	for _, id := range ids {
		e, err := l.Store.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		if publication.Recurs(e.Record) {
			still = append(still, id)
		}
	}
	return still, nil
}

const mostDenied = 100

// denied returns which right the token lacks, or which setting, if one of the refused reports failed
// for that.
func (l *Local) denied(ctx context.Context, refused int) (why string, err error) {
	if refused == 0 {
		return "", nil
	}
	reports, _, err := l.Store.Outbox(ctx, store.ReportQuery{Only: store.OwedRefused, Limit: mostDenied})
	if err != nil {
		return "", err
	}
	for _, o := range reports {
		if strings.Contains(o.Refused, marketplace.ReportsDenied) {
			return marketplace.ReportsDenied, nil
		}
		if strings.Contains(o.Refused, marketplace.FormsSetting) {
			return o.Refused, nil
		}
	}
	return "", nil
}

// following returns how far publications have followed changed rules of prices and stock, nil if all
// have.
func (l *Local) following(ctx context.Context, now time.Time) (*Rules, error) {
	var r Rules
	for _, err := range store.Marks(ctx, l.Store, store.DueQuery{
		Classes: store.ClassesOf(store.ClassRules), To: store.At(now),
	}) {
		if err != nil {
			return nil, err
		}
		r.Figures++
	}
	var err error
	if r.Change, err = l.rulesChange(ctx, r.Figures > 0); err != nil {
		return nil, err
	}
	if r.Figures == 0 && r.Change == nil {
		return nil, nil //nolint:nilnil // nothing is left to do
	}
	of, err := l.Store.Meta(ctx, publication.MetaFollowed)
	if err != nil {
		return nil, err
	}
	r.Of, _ = strconv.Atoi(of) //nolint:errcheck // it is not known
	return &r, nil
}

// rulesChange is the change of the rules of prices that is held as one, nil where none is. due says
// that publications have yet to be looked at because of it; else one of them must be held.
func (l *Local) rulesChange(ctx context.Context, due bool) (*publication.RulesChange, error) {
	var c publication.RulesChange
	known, err := store.MetaJSON(ctx, l.Store, publication.MetaRuling, &c)
	if err == nil && known && c.Pending() && !due {
		var held []store.Record
		held, _, err = l.Store.List(ctx, store.Query{Key: store.KeyHold(store.HoldRules), Limit: 1})
		due = len(held) > 0 // else each was decided by itself
	}
	if err != nil || !known || !c.Pending() || !due {
		return nil, err
	}
	return &c, nil
}
