package desk

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter/pace"
	"github.com/pubsync/pubsync/store"
)

// Status is the connector at one moment.
type Status struct {
	Version      string              `json:"version"`
	Publications map[store.State]int `json:"publications"` // by state, every state among them
	Due          int                 `json:"due"`
	// of these, changes whose prices and stock are written and whose remainder is not; counted up
	// to mostRemainders
	Remainders int `json:"rests,omitempty"`
	// absent where every publication stands by the settings of now
	Rules  *Rules `json:"rules,omitempty"`
	Outbox int    `json:"outbox"`
	// of these, reports that the marketplace refuses: they are made again
	Refused int `json:"refused"`
	// which right the token lacks, where it may read and not report
	Denied  string           `json:"reportsDenied,omitempty"`
	Budget  Budget           `json:"budget"`
	Sweeps  Sweeps           `json:"sweeps"`
	Webhook Registration     `json:"webhook"`
	Cursors map[string]Since `json:"cursors"`
	// absent where requests name as many publications as there is use for
	Several  *Several `json:"several,omitempty"`
	Variants Variants `json:"variants"`
	// the last comparison with what stands in the shop; absent where there was none
	Compared *publication.Compared `json:"compared,omitempty"`
	// pages of products that show visitors something else; mostWrong of package publication at the most
	WrongPages  []publication.WrongPage `json:"wrongPages,omitempty"`
	Shop        Side                    `json:"shop"`
	Marketplace Side                    `json:"marketplace"`
	// whose list this is; absent where nothing is known yet
	Account   *Account    `json:"account,omitempty"`
	Store     StoreStatus `json:"store"`
	LastError *LastError  `json:"lastError"`
	Started   time.Time   `json:"startedAt,omitzero"`
	// how fast what is due is worked off; absent where little is due, or the rate is not known
	Pace *Pace `json:"pace,omitempty"`
}

// Pace is how fast the worker works off what is due.
type Pace struct {
	PerMinute   float64 `json:"perMinute"` // publications, of late
	LeftSeconds float64 `json:"leftSeconds"`
}

// Rules is how far publications have followed changed settings.
type Rules struct {
	Figures int `json:"figures"` // publications that wait for prices and stock by the new rules
	// publications that are still to be read again, since other settings have changed
	Content int      `json:"content"`
	Of      int      `json:"of"`                  // publications that the last change concerned
	Later   []string `json:"nextStart,omitempty"` // settings that the worker's env files hold otherwise by now
	// Change is a change of the rules of prices that is held as one, until a person decides.
	Change *publication.RulesChange `json:"change,omitempty"`
}

// Budget is the marketplace's cost bucket as far as it is known here, in points and points per
// second.
type Budget struct {
	Limit       float64 `json:"limit"`
	Remaining   float64 `json:"remaining"`
	RestoreRate float64 `json:"restoreRate"`
	Waiting     int     `json:"waiting"`         // requests in line
	First       *Wait   `json:"first,omitempty"` // the first of them, where its wait is longer than longWait
}

// Several is how many publications a request names at most, since the marketplace refused more.
type Several struct {
	Most   int       `json:"most"`
	Reason string    `json:"reason"` // what the marketplace said
	Until  time.Time `json:"until"`  // more are tried again then
}

// Wait is what a request to the marketplace waits for.
type Wait struct {
	Cost   float64   `json:"cost"` // points
	Reason string    `json:"for"`
	Since  time.Time `json:"since"`
	// when it is sent at the latest; absent where that depends on another request
	Until *time.Time `json:"until,omitempty"`
}

// Sweeps is the last sweep of each kind.
type Sweeps struct {
	Incremental LastSweep  `json:"incremental"`
	Full        LastSweep  `json:"full"`
	Next        *time.Time `json:"next"`     // when the schedule asks for the next incremental sweep
	NextFull    *time.Time `json:"nextFull"` // and for the next enumeration
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
func variantsOf(ctx context.Context, s store.Facts) (Variants, error) {
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

// Since is when something was stored.
type Since struct {
	At time.Time `json:"at"`
}

// Side is the shop or the marketplace. It is paused from its first failure until it answers well
// again, also between two tries.
type Side struct {
	Name   string     `json:"name,omitempty"`
	Paused bool       `json:"paused"`
	Reason string     `json:"reason,omitempty"`
	Since  *time.Time `json:"since,omitempty"`
	Until  *time.Time `json:"until,omitempty"` // of the next try, which is a check during a long pause
	// what keeps visitors from the shop's products, though it accepts them
	Warning string `json:"warning,omitempty"`
}

// StoreStatus is the store's file.
type StoreStatus struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
	Error string `json:"error,omitempty"`
}

// LastError is the last thing that went wrong and is not mended.
type LastError struct {
	Message string    `json:"message"`
	At      time.Time `json:"at"`
	// the part that failed, see package health, and the publication that it was about, where it was
	// about one
	Part        string `json:"part,omitempty"`
	Publication string `json:"publication,omitempty"`
}

// LastErrorOf is an error as the desk shows it, nil for none.
func LastErrorOf(e health.Error) *LastError {
	if e.Message == "" {
		return nil
	}
	return &LastError{Message: e.Message, At: e.At, Part: e.Part, Publication: e.Publication}
}

// LastSweep is the last sweep of a kind. At is when it began, Completed when the last one began
// that was completed.
type LastSweep struct {
	At        time.Time `json:"at,omitzero"`
	Listed    int       `json:"listed"`
	Passed    int       `json:"passedOver,omitempty"` // entries without an id or an updatedAt
	Error     string    `json:"error,omitempty"`
	Completed time.Time `json:"completedAt,omitzero"`
}

// Registration is the worker's webhook at the marketplace.
type Registration struct {
	URL     string    `json:"url,omitempty"`
	Active  bool      `json:"active"`
	ID      string    `json:"id,omitempty"`
	Checked time.Time `json:"checkedAt,omitzero"`
	Error   string    `json:"error,omitempty"`

	Events []string `json:"events,omitempty"` // that are registered
	// that were to be registered and that the marketplace does not know
	Unknown []string `json:"unknownEvents,omitempty"`
	// ids of further active registrations of the address for the same events
	Superfluous []string `json:"superfluous,omitempty"`

	// deliveries that were refused in a row; absent where the last one was acknowledged
	Refused *Refused `json:"refused,omitempty"`
	// the id in the headers of our webhooks; empty: not known yet, all that are signed are ours
	Account string `json:"account,omitempty"`

	// the id of our account that the installation told, which may be another
	InstalledAs string `json:"installedAs,omitempty"`
}

// Refused is the deliveries that were refused in a row, as far as they arrived. After Allowed the
// marketplace deletes the registration.
type Refused struct {
	InARow  int       `json:"inARow"`
	Allowed int       `json:"allowed"`
	Since   time.Time `json:"since"`
	Last    time.Time `json:"last"`
	Why     string    `json:"why"`  // of the last
	Says    string    `json:"says"` // what that means, and who mends it
}

// WhyRefused says what a refusal of deliveries means, and who mends it.
func WhyRefused(why string) string {
	switch why {
	case "signature":
		return "signed with another secret than PUBSYNC_WEBHOOK_SECRET"
	case "unsigned":
		return "not signed, as all that no app registered: set PUBSYNC_WEBHOOK_PATH_TOKEN, and give the marketplace " +
			"the address of /webhooks " +
			"followed by a slash and that token; where the marketplace signs under another name, set " +
			"PUBSYNC_WEBHOOK_HEADER_PREFIX"
	case "not_found":
		return "sent to an address where no webhooks are accepted, with another path token perhaps"
	case "too_large":
		return "larger than is accepted"
	case "busy":
		return "large, and too many others were being sent: it is accepted when it is sent again"
	case "cut_off":
		return "broken off by the sender"
	case "store":
		return "the store cannot be written"
	case "late":
		return "answered after more than the five seconds that the marketplace waits"
	default:
		return why
	}
}

// Status is the connector at one moment.
func (l *Local) Status(ctx context.Context) (Status, error) {
	s, err := l.stored(ctx)
	if err != nil {
		return s, err
	}
	if l.Worker != nil {
		l.Worker.Tell(ctx, &s)
		return s, l.enumerated(ctx, &s.Sweeps.Full)
	}
	if l.Deliveries != nil {
		if s.Webhook, err = l.Deliveries(ctx); err != nil {
			return s, err
		}
	}
	past, err := pastOf(ctx, l.Store)
	if err != nil {
		return s, err
	}
	s.Sweeps.Incremental, s.Sweeps.Full, s.LastError = past.Incremental, past.Full, past.LastError
	return s, l.enumerated(ctx, &s.Sweeps.Full)
}

// cursors are the names under which the sweeps store how far they have come.
var cursors = []string{"updated", "full", "variants"}

// cursorDone is the name under which they store when the last complete enumeration began.
const cursorDone = "full.done"

// enumerated adds when the last complete enumeration began, as the store knows it: this process may
// have made none, and the first list that was read to its end counts as one.
func (l *Local) enumerated(ctx context.Context, full *LastSweep) error {
	done, ok, err := l.Store.CursorOf(ctx, cursorDone)
	if at := done.At.Time(); ok && at.After(full.Completed) {
		full.Completed = at
	}
	return err
}

// longWait is the wait for points from which on status tells of it. In a backlog a wait of some
// seconds is normal.
const longWait = 10 * time.Second

// BudgetOf is the state of a cost bucket as status tells it.
func BudgetOf(b pace.Snapshot, now time.Time) Budget {
	budget := Budget{Limit: b.Limit, Remaining: b.Remaining, RestoreRate: b.RestoreRate, Waiting: b.Waiting}
	first := b.First
	if first == nil || now.Sub(first.Since) < longWait && first.Until.Sub(first.Since) < longWait {
		return budget
	}
	budget.First = &Wait{Cost: first.Cost, Reason: first.Reason, Since: first.Since}
	if !first.Until.IsZero() {
		budget.First.Until = &first.Until
	}
	return budget
}

// SeveralOf is what a marketplace's refusals say of requests that name several publications, as
// status tells it.
func SeveralOf(b marketplace.Bound) *Several {
	if b.Most == 0 {
		return nil
	}
	return &Several{Most: b.Most, Reason: b.Reason, Until: b.Until}
}

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
	if s.Remainders, err = l.remainders(ctx, now); err != nil {
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
		for _, err := range store.Records(ctx, l.Store, store.Query{Key: store.KeyHold(store.HoldDrift)}) {
			if err != nil {
				return s, err
			}
			compared.Held++
		}
		if compared.Recurring, err = l.recurring(ctx, compared.Recurring); err != nil {
			return s, err
		}
	}
	if s.Shop, err = l.pause(ctx, breaker.Shop, now); err != nil {
		return s, err
	}
	var warned publication.Warning
	if _, err := store.MetaJSON(ctx, l.Store, publication.MetaWarning, &warned); err != nil {
		return s, err
	}
	s.Shop.Warning = warned.Text
	var visits publication.Visits
	if _, err := store.MetaJSON(ctx, l.Store, publication.MetaVisits, &visits); err != nil {
		return s, err
	}
	if s.WrongPages = visits.Wrong; len(visits.Wrong) > 0 && s.Shop.Warning == "" {
		w := visits.Wrong[len(visits.Wrong)-1]
		s.Shop.Warning = fmt.Sprintf("visitors see %s in place of %s, at %s (%d products with something else)",
			w.Saw, w.ID, w.URL, len(visits.Wrong))
	}
	if s.Marketplace, err = l.pause(ctx, breaker.Marketplace, now); err != nil {
		return s, err
	}
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

// mostDenied bounds the reports that are looked through for one status.
const mostDenied = 100

// denied returns which right the token lacks, if one of the refused reports failed for that.
func (l *Local) denied(ctx context.Context, refused int) (why string, err error) {
	if refused == 0 {
		return "", nil
	}
	reports, _, err := l.Store.Outbox(ctx, store.ReportQuery{Only: store.OwedRefused, Limit: mostDenied})
	if err != nil {
		return "", err
	}
	for _, o := range reports {
		e, err := l.Store.Get(ctx, o.ID)
		if err != nil {
			return "", err
		}
		if strings.Contains(e.Record.ReportError, marketplace.ReportsDenied) {
			return marketplace.ReportsDenied, nil
		}
	}
	return "", nil
}

// mostRemainders bounds the marks that are looked through for one status.
const mostRemainders = 1000

// remainders counts the publications of which only the remainder of a change is due.
func (l *Local) remainders(ctx context.Context, now time.Time) (n int, err error) {
	due, _, err := l.Store.Due(ctx, store.DueQuery{
		Classes: store.ClassesOf(
			store.ClassFull,
		), Causes: store.CauseRemainder, Among: mostRemainders, To: store.At(now),
	})
	return len(due), err
}

// following returns how far publications have followed changed settings, nil if all have. The marks
// of the others are of these classes, but for the few that something else makes due soon.
func (l *Local) following(ctx context.Context, now time.Time) (*Rules, error) {
	classes := store.ClassesOf(store.ClassRules, store.ClassFull, store.ClassRefresh)
	due, _, err := l.Store.Due(ctx, store.DueQuery{
		Classes: classes, Causes: store.CauseRules | store.CauseSettings, To: store.At(now),
	})
	if err != nil {
		return nil, err
	}
	var r Rules
	for _, m := range due {
		if m.Cause&store.CauseRules != 0 {
			r.Figures++
		}
		if m.Cause&store.CauseSettings != 0 {
			r.Content++
		}
	}
	if r.Change, err = l.rulesChange(ctx, r.Figures > 0); err != nil {
		return nil, err
	}
	if r.Figures+r.Content == 0 && r.Change == nil {
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
	if err != nil || !known || !c.Pending() {
		return nil, err
	}
	if due {
		return &c, nil
	}
	held, _, err := l.Store.List(ctx, store.Query{Key: store.KeyHold(store.HoldRules), Limit: 1})
	if err != nil || len(held) == 0 { // each was decided by itself
		return nil, err
	}
	return &c, nil
}

// pause is the pause of a side that the store keeps over a restart.
func (l *Local) pause(ctx context.Context, side breaker.Side, now time.Time) (Side, error) {
	p, ok, err := breaker.Kept(ctx, l.Store, side, now)
	if err != nil || !ok {
		return Side{}, err
	}
	return Side{Paused: true, Reason: p.Reason, Since: &p.Since, Until: &p.Until}, nil
}
