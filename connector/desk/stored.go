package desk

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/directory"
	"github.com/pubsync/pubsync/connector/health"
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

// Account says whose import list this is, and which stores the marketplace thinks that it feeds.
type Account struct {
	marketplace.Holder
	Channels []marketplace.Channel `json:"channels,omitempty"`
	ReadAt   time.Time             `json:"readAt,omitzero"`
	// a product page that was reported, with which the channels are compared
	Page    string `json:"page,omitempty"`
	Warning string `json:"warning,omitempty"` // where the channels name other shops
	// why the marketplace does not tell a part: account, channels or categories
	Refused map[string]string `json:"refused,omitempty"`
}

const sampled = 50

// accountOf is what a store holds of the account, nil where nothing is known.
func accountOf(ctx context.Context, s store.Store) (*Account, error) {
	list, err := directory.ListOf(ctx, s)
	if err != nil {
		return nil, err
	}
	a := &Account{Holder: list.Account, Channels: list.Channels, ReadAt: list.At, Refused: list.Refused}
	if a.Slug == "" && a.Name == "" {
		if a.Slug, err = store.Account(ctx, s); err != nil {
			return nil, err
		}
	}
	if a.Holder == (marketplace.Holder{}) && len(a.Channels) == 0 && len(a.Refused) == 0 {
		return nil, nil
	}
	if len(a.Channels) > 0 {
		if a.Page, err = reportedPage(ctx, s); err != nil {
			return nil, err
		}
		a.Warning = list.Elsewhere(a.Page)
	}
	return a, nil
}

// reportedPage is the address of a product page that the marketplace has acknowledged, "" where
// none is found soon.
func reportedPage(ctx context.Context, s store.Store) (string, error) {
	for _, state := range []store.State{store.StateLive, store.StatePartial, store.StateHeld} {
		records, _, err := s.List(ctx, store.Query{Key: store.KeyState(state), Limit: sampled})
		if err != nil {
			return "", err
		}
		for _, r := range records {
			// an address that is the listing's own is kept once
			if page := cmp.Or(r.ReportedURL, r.URL); r.Reported == store.StatusSuccess && page != "" {
				return page, nil
			}
		}
	}
	return "", nil
}

const pastFact store.Fact[Past] = "past"

// A Past is what the store keeps of the last process: its sweeps, its last error, and the exit code
// of a single run that began at its end.
type Past struct {
	Exit        int        `json:"exit,omitempty"`
	Incremental LastSweep  `json:"incremental"`
	Full        LastSweep  `json:"full"`
	LastError   *LastError `json:"lastError,omitempty"`
}

// Keep writes it. A sweep that this process has not made is kept from the process before.
func (p Past) Keep(ctx context.Context, s store.Store) error {
	before, err := pastOf(ctx, s)
	if err != nil {
		return err
	}
	p.Incremental = p.Incremental.behind(before.Incremental)
	p.Full = p.Full.behind(before.Full)
	return pastFact.Set(ctx, s, p)
}

// LeftError is the error that the process before left, none where it was mended.
func LeftError(ctx context.Context, s store.Store) (health.Error, error) {
	p, err := pastOf(ctx, s)
	if err != nil || p.LastError == nil {
		return health.Error{}, err
	}
	return health.Error(*p.LastError), nil
}

// behind returns a sweep that followed another one, or that other one if it was never made.
func (l LastSweep) behind(before LastSweep) LastSweep {
	if l.At.IsZero() {
		return before
	}
	if l.Completed.IsZero() {
		l.Completed = before.Completed
	}
	return l
}

func pastOf(ctx context.Context, s store.Store) (Past, error) {
	p, _, err := pastFact.Get(ctx, s)
	return p, err
}

// Variants is what is known of the list of product variants, the second source of change.
type Variants struct {
	Mode     publication.VariantMode    `json:"mode"` // "": no sweep has been made
	Followed bool                       `json:"followed"`
	Found    publication.VariantFinding `json:"found,omitempty"`
	At       time.Time                  `json:"foundAt,omitzero"`
	// where it is not followed because of what was found
	Again   time.Time `json:"askedAgain,omitzero"`
	Message string    `json:"message,omitempty"`
}

// variantsOf is what the store tells of the list of product variants.
func variantsOf(ctx context.Context, s store.Store) (Variants, error) {
	var v publication.VariantSource
	if _, err := store.MetaJSON(ctx, s, publication.MetaVariants, &v); err != nil {
		return Variants{}, err
	}
	return Variants{Found: v.Found, At: v.At.Time(), Message: v.Message}.In(v.Mode), nil
}

// In returns what is known if the list is followed in a mode.
func (v Variants) In(mode publication.VariantMode) Variants {
	again := publication.VariantSource{Found: v.Found, At: store.At(v.At)}.Again()
	v.Mode, v.Again = mode, time.Time{}
	switch mode {
	case publication.VariantsOn:
		v.Followed = again.IsZero()
	case publication.VariantsAuto:
		v.Followed, v.Again = again.IsZero(), again
	default:
	}
	return v
}
