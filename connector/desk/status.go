package desk

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/listener"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter/pace"
	"github.com/pubsync/pubsync/store"
)

// Status is the connector at one moment.
type Status struct {
	Version      string               `json:"version"`
	Publications map[store.State]int  `json:"publications"` // with every state
	Due          int                  `json:"due"`
	Follow       int                  `json:"follow,omitempty"` // publications that have yet to follow changed rules
	Outbox       int                  `json:"outbox"`
	Refused      int                  `json:"refused"`                 // reports that were refused
	Denied       string               `json:"reportsDenied,omitempty"` // the right or setting that refused reports lack
	Budget       pace.Snapshot        `json:"budget"`
	Sweeps       Sweeps               `json:"sweeps"`
	Webhook      Registration         `json:"webhook"`
	Cursors      map[string]time.Time `json:"cursors"` // when each was stored
	// of the list of product variants; Mode is "" before a sweep
	Variants    publication.VariantSource `json:"variants"`
	Compared    publication.Compared      `json:"compared,omitzero"` // last comparison with the shop
	Shop        Side                      `json:"shop"`
	Marketplace Side                      `json:"marketplace"`
	Store       StoreStatus               `json:"store"`
	LastError   *LastError                `json:"lastError"`
	Started     time.Time                 `json:"startedAt,omitzero"`
	LastExit    int                       `json:"lastExit,omitempty"` // of the last process, if none runs
}

// Sweeps is the last sweep of each kind.
type Sweeps struct {
	Incremental LastSweep     `json:"incremental"`
	Full        LastSweep     `json:"full"`
	Next        store.Instant `json:"next"` // incremental sweep
	NextFull    store.Instant `json:"nextFull"`
}

// Side is paused from its first failure until it answers well again, also between two tries.
type Side struct {
	Name    string        `json:"name,omitempty"`
	Paused  bool          `json:"paused"`
	Reason  string        `json:"reason,omitempty"`
	Since   store.Instant `json:"since,omitzero"`
	Until   store.Instant `json:"until,omitzero"`    // of the next try, or of a check in a long pause
	Warning string        `json:"warning,omitempty"` // what keeps visitors from the products
}

type StoreStatus struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
	Error string `json:"error,omitempty"`
}

// LastError is the last thing that went wrong since a sweep last ended well.
type LastError struct {
	Message string    `json:"message"`
	At      time.Time `json:"at"`
}

// LastSweep began at At; the last one that was completed at Completed.
type LastSweep struct {
	At        time.Time `json:"at,omitzero"`
	Listed    int       `json:"listed"`
	Error     string    `json:"error,omitempty"`
	OfShop    bool      `json:"ofShop,omitempty"` // Error came from the shop
	Completed time.Time `json:"completedAt,omitzero"`
}

// Registration is how the webhook is registered.
type Registration struct {
	URL     string    `json:"url,omitempty"`
	Active  bool      `json:"active"`
	ID      string    `json:"id,omitempty"`
	Checked time.Time `json:"checkedAt,omitzero"`
	Error   string    `json:"error,omitempty"`
	Events  []string  `json:"events,omitempty"`        // wanted and registered
	Unknown []string  `json:"unknownEvents,omitempty"` // wanted, but unknown to the marketplace

	Refused listener.Refused `json:"refused,omitzero"` // deliveries in a row, up to the last one
}

// Refuses reports whether so many deliveries in a row were refused that it is no accident.
func (r Registration) Refuses() bool { return r.Refused.InARow >= 5 }

// Exit returns the exit code of a single run that finds all as it stands.
func (s Status) Exit() int {
	count := s.Publications
	switch {
	case s.Store.Error != "":
		return ExitStore
	case s.LastExit > ExitStanding: // what stands may have changed since
		return s.LastExit
	case s.Marketplace.Paused:
		return ExitMarketplace
	case s.Shop.Paused, s.Sweeps.Incremental.OfShop:
		return ExitShop
	case s.Sweeps.Incremental.Error != "":
		return ExitMarketplace
	case count[store.StateRejected]+count[store.StateBlocked]+count[store.StateHeld]+count[store.StatePending]+
		s.Refused > 0:
		return ExitStanding
	default:
		return ExitOK
	}
}

// Status tells what the store knows, and the worker or else the last process.
func (l *Local) Status(ctx context.Context) (s Status, err error) {
	if err = l.Worker.Tell(ctx, &s); err == nil && s.Started.IsZero() {
		s, _, err = PastFact.Get(ctx, l.Store)
	}
	now := store.At(time.Now())
	backlog, err1 := l.Store.Backlog(ctx, now)
	rules, _, err2 := l.Store.Due(ctx, store.DueQuery{Classes: store.ClassesOf(store.ClassRules), To: now})
	variants, _, err3 := publication.MetaVariants.Get(ctx, l.Store)
	compared, _, err4 := publication.MetaCompared.Get(ctx, l.Store)
	warning, err5 := l.Store.Meta(ctx, publication.MetaWarning)
	s.Publications, s.Cursors, s.Variants, s.Compared = map[store.State]int{}, map[string]time.Time{}, variants, compared
	s.Due, s.Follow, s.Outbox, s.Refused = backlog.Due, len(rules), backlog.Owed, backlog.Refused
	s.Store.Path, s.Store.Bytes = l.Store.Path(), store.SizeOf(l.Store)
	s.Variants.Install, s.Variants.Ended = "", false
	for _, state := range store.States() {
		s.Publications[state] = backlog.States[state]
	}
	err = cmp.Or(err, err1, err2, err3, err4, err5, l.tellDenied(ctx, &s))
	s.Shop.Warning = cmp.Or(warning, compared.Doubt)
	for _, name := range []string{"updated", "full", "variants", "full.done"} {
		cursor, ok, failed := l.Store.CursorOf(ctx, name)
		switch at := cursor.At.Time(); {
		case !ok:
		case name != "full.done":
			s.Cursors[name] = at
		case at.After(s.Sweeps.Full.Completed): // the first list read to its end, perhaps by another process
			s.Sweeps.Full.Completed = at
		}
		err = cmp.Or(err, failed)
	}
	return s, err
}

func (l *Local) tellDenied(ctx context.Context, s *Status) error {
	if s.Refused == 0 {
		return nil
	}
	all, err := l.Store.Reports(ctx)
	for _, o := range all {
		// where another report is not refused, an objection is the publication's own
		forms := s.Refused == s.Outbox && strings.Contains(o.Refused, marketplace.FormsSetting)
		if forms || strings.Contains(o.Refused, marketplace.ReportsDenied) {
			s.Denied = o.Refused
			break
		}
	}
	return err
}

// PastFact holds what the last process left: its sweeps, without a next one, its last error and its exit code.
const PastFact store.Fact[Status] = "past"
