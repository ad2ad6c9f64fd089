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
func (l *Local) stored(ctx context.Context) (Status, error) {
	now := store.At(time.Now())
	s := Status{
		Publications: map[store.State]int{}, Cursors: map[string]Since{},
		Store: StoreStatus{Path: store.PathOf(l.Store), Bytes: store.SizeOf(l.Store)},
	}
	counts, err := l.Store.Counts(ctx)
	if err != nil {
		return s, err
	}
	for _, state := range store.States() {
		s.Publications[state] = counts[state]
	}
	backlog, err := l.Store.Backlog(ctx, now)
	if err != nil {
		return s, err
	}
	s.Due, s.Outbox, s.Refused = backlog.Due, backlog.Owed, backlog.Refused
	for _, name := range cursors {
		cursor, ok, err := l.Store.CursorOf(ctx, name)
		if err != nil {
			return s, err
		}
		if ok {
			s.Cursors[name] = Since{At: cursor.At.Time()}
		}
	}
	for _, tell := range []func(context.Context, *Status) error{
		l.tellDenied, l.tellRules, l.tellVariants, l.tellCompared, l.tellAccount,
	} {
		if err := tell(ctx, &s); err != nil {
			return s, err
		}
	}
	return s, nil
}

const mostDenied = 100

// tellDenied tells which right the token lacks, or which setting, if one of the refused reports failed
// for that.
func (l *Local) tellDenied(ctx context.Context, s *Status) error {
	if s.Refused == 0 {
		return nil
	}
	seen := 0
	for o, err := range store.Reports(ctx, l.Store, store.OwedRefused) {
		switch {
		case err != nil:
			return err
		case seen == mostDenied:
			return nil
		case s.Denied != "":
		case strings.Contains(o.Refused, marketplace.ReportsDenied):
			s.Denied = marketplace.ReportsDenied
		case strings.Contains(o.Refused, marketplace.FormsSetting):
			s.Denied = o.Refused
		}
		seen++
	}
	return nil
}

// tellRules tells how far publications have followed changed rules of prices and stock, where some
// have not.
func (l *Local) tellRules(ctx context.Context, s *Status) (err error) {
	var r Rules
	waiting := store.DueQuery{Classes: store.ClassesOf(store.ClassRules), To: store.At(time.Now())}
	for _, err := range store.Marks(ctx, l.Store, waiting) {
		if err != nil {
			return err
		}
		r.Figures++
	}
	if r.Change, err = l.rulesChange(ctx, r.Figures > 0); err != nil || r.Figures == 0 && r.Change == nil {
		return err
	}
	of, err := l.Store.Meta(ctx, publication.MetaFollowed)
	r.Of, _ = strconv.Atoi(of) //nolint:errcheck // it is not known
	s.Rules = &r
	return err
}

// rulesChange is the change of the rules of prices that is held as one, nil where none is. due says
// that publications have yet to be looked at because of it; else one of them must be held.
func (l *Local) rulesChange(ctx context.Context, due bool) (*publication.RulesChange, error) {
	var c publication.RulesChange
	known, err := store.MetaJSON(ctx, l.Store, publication.MetaRuling, &c)
	if err != nil || !known || !c.Pending() {
		return nil, err
	}
	if !due {
		held, _, err := l.Store.List(ctx, store.Query{Key: store.KeyHold(store.HoldRules), Limit: 1})
		if err != nil || len(held) == 0 { // each was decided by itself
			return nil, err
		}
	}
	return &c, nil
}

// tellCompared tells of the last comparison with the shop what stands of it still.
func (l *Local) tellCompared(ctx context.Context, s *Status) error {
	var c publication.Compared
	known, err := store.MetaJSON(ctx, l.Store, publication.MetaCompared, &c)
	if err != nil {
		return err
	}
	warning, err := l.Store.Meta(ctx, publication.MetaWarning)
	s.Shop.Warning = cmp.Or(warning, c.Page)
	if err != nil || !known {
		return err
	}
	held, err := idsOf(store.Records(ctx, l.Store, store.Query{Key: store.KeyHold(store.HoldDrift)}), idOf)
	if err != nil {
		return err
	}
	found := c.Recurring
	c.Held, c.Recurring = c.Held+len(held), nil
	for _, id := range found {
		e, err := l.Store.Get(ctx, id)
		if err != nil {
			return err
		}
		if publication.Recurs(e.Record) {
			c.Recurring = append(c.Recurring, id)
		}
	}
	s.Compared = &c
	return nil
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

// tellAccount tells what the store holds of the account, where anything is known.
func (l *Local) tellAccount(ctx context.Context, s *Status) error {
	list, err := directory.ListOf(ctx, l.Store)
	if err != nil {
		return err
	}
	a := &Account{Holder: list.Account, Channels: list.Channels, ReadAt: list.At, Refused: list.Refused}
	if a.Slug == "" && a.Name == "" {
		if a.Slug, err = store.Account(ctx, l.Store); err != nil {
			return err
		}
	}
	if a.Holder == (marketplace.Holder{}) && len(a.Channels) == 0 && len(a.Refused) == 0 {
		return nil
	}
	if s.Account = a; len(a.Channels) > 0 {
		a.Page, err = l.reportedPage(ctx)
		a.Warning = list.Elsewhere(a.Page)
	}
	return err
}

const sampled = 50

// reportedPage is the address of a product page that the marketplace has acknowledged, "" where
// none is found soon.
func (l *Local) reportedPage(ctx context.Context) (string, error) {
	for _, state := range []store.State{store.StateLive, store.StatePartial, store.StateHeld} {
		records, _, err := l.Store.List(ctx, store.Query{Key: store.KeyState(state), Limit: sampled})
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
	before, _, err := pastFact.Get(ctx, s)
	if err != nil {
		return err
	}
	p.Incremental, p.Full = p.Incremental.behind(before.Incremental), p.Full.behind(before.Full)
	return pastFact.Set(ctx, s, p)
}

// LeftError is the error that the process before left, none where it was mended.
func LeftError(ctx context.Context, s store.Store) (health.Error, error) {
	p, _, err := pastFact.Get(ctx, s)
	if err != nil || p.LastError == nil {
		return health.Error{}, err
	}
	return *p.LastError, nil
}

// tellPast tells what the last worker left in the store.
func (s *Status) tellPast(ctx context.Context, of store.Store) error {
	past, _, err := pastFact.Get(ctx, of)
	if err == nil {
		s.Sweeps.Incremental, s.Sweeps.Full, s.LastError = past.Incremental, past.Full, past.LastError
		s.LastExit = past.Exit
	}
	return err
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

func (l *Local) tellVariants(ctx context.Context, s *Status) error {
	var v publication.VariantSource
	_, err := store.MetaJSON(ctx, l.Store, publication.MetaVariants, &v)
	s.Variants = Variants{Found: v.Found, At: v.At.Time(), Message: v.Message}.In(v.Mode)
	return err
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
