package desk

import (
	"cmp"
	"context"
	"time"

	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/listener"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/registration"
	"github.com/pubsync/pubsync/shopadapter/pace"
	"github.com/pubsync/pubsync/store"
)

// Status is the connector at one moment.
type Status struct {
	Version      string              `json:"version"`
	Publications map[store.State]int `json:"publications"` // by state, every state among them
	Due          int                 `json:"due"`
	// absent where every publication stands by the settings of now
	Rules  *Rules `json:"rules,omitempty"`
	Outbox int    `json:"outbox"`
	// of these, reports that the marketplace refuses: they are made again
	Refused int `json:"refused"`
	// which right the token lacks, where it may read and not report
	Denied   string           `json:"reportsDenied,omitempty"`
	Budget   Budget           `json:"budget"`
	Sweeps   Sweeps           `json:"sweeps"`
	Webhook  Registration     `json:"webhook"`
	Cursors  map[string]Since `json:"cursors"`
	Variants Variants         `json:"variants"`
	// the last comparison with what stands in the shop; absent where there was none
	Compared    *publication.Compared `json:"compared,omitempty"`
	Shop        Side                  `json:"shop"`
	Marketplace Side                  `json:"marketplace"`
	// whose list this is; absent where nothing is known yet
	Account   *Account    `json:"account,omitempty"`
	Store     StoreStatus `json:"store"`
	LastError *LastError  `json:"lastError"`
	Started   time.Time   `json:"startedAt,omitzero"`
	// of the last process where none runs: see Past
	LastExit int `json:"lastExit,omitempty"`
	// how fast what is due is worked off; absent where little is due, or the rate is not known
	Pace *Pace `json:"pace,omitempty"`
}

type Pace struct {
	PerMinute   float64 `json:"perMinute"` // publications, of late
	LeftSeconds float64 `json:"leftSeconds"`
}

// Rules is how far publications have followed changed settings.
type Rules struct {
	Figures int      `json:"figures"`             // publications that wait for prices and stock by the new rules
	Of      int      `json:"of"`                  // publications that the last change concerned
	Later   []string `json:"nextStart,omitempty"` // settings that the worker's env files hold otherwise by now
	// Change is a change of the rules of prices that is held as one, until a person decides.
	Change *publication.RulesChange `json:"change,omitempty"`
}

// Budget is the marketplace's cost bucket as far as it is known here. First is told where its wait is
// longer than longWait.
type Budget = pace.Snapshot

// Sweeps is the last sweep of each kind.
type Sweeps struct {
	Incremental LastSweep  `json:"incremental"`
	Full        LastSweep  `json:"full"`
	Next        *time.Time `json:"next"`     // when the schedule asks for the next incremental sweep
	NextFull    *time.Time `json:"nextFull"` // and for the next enumeration
}

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

type StoreStatus struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
	Error string `json:"error,omitempty"`
}

// LastError is the last thing that went wrong and is not mended.
type LastError = health.Error

// LastErrorOf is an error as the desk shows it, nil for none.
func LastErrorOf(e health.Error) *LastError {
	if e.Message == "" {
		return nil
	}
	return &e
}

// LastSweep is the last sweep of a kind. At is when it began, Completed when the last one began
// that was completed.
type LastSweep struct {
	At        time.Time `json:"at,omitzero"`
	Listed    int       `json:"listed"`
	Passed    int       `json:"passedOver,omitempty"` // entries without an id or an updatedAt
	Error     string    `json:"error,omitempty"`
	OfShop    bool      `json:"ofShop,omitempty"` // the error is of a call of the shop
	Completed time.Time `json:"completedAt,omitzero"`
}

// Status is as much as the store tells, and what the worker adds where one runs.
func (l *Local) Status(ctx context.Context) (Status, error) {
	s, err := l.stored(ctx)
	if err != nil {
		return s, err
	}
	if l.Worker != nil {
		l.Worker.Tell(ctx, &s)
	} else if err := s.tellPast(ctx, l.Store); err != nil {
		return s, err
	}
	// this process may have made no enumeration, and the first list that was read to its end counts as one
	done, ok, err := l.Store.CursorOf(ctx, cursorDone)
	if at := done.At.Time(); ok && at.After(s.Sweeps.Full.Completed) {
		s.Sweeps.Full.Completed = at
	}
	return s, err
}

// The names under which the sweeps store how far they have come, and when the last complete
// enumeration began.
var cursors = []string{"updated", "full", "variants"}

const cursorDone = "full.done"

// Exit is the exit code that a single run would end with, if it found all as it stands.
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

// longWait is the wait for points from which on status tells of it. In a backlog a wait of some
// seconds is normal.
const longWait = 10 * time.Second

func BudgetOf(b pace.Snapshot, now time.Time) Budget {
	if f := b.First; f != nil && now.Sub(f.Since) < longWait && f.Until.Sub(f.Since) < longWait {
		b.First = nil
	}
	return b
}

// Registration is the worker's webhook at the marketplace.
type Registration struct {
	registration.Status
	// deliveries that were refused in a row; absent where the last one was acknowledged
	Refused *Refused `json:"refused,omitempty"`
}

// Refused is the deliveries that were refused in a row. After Allowed the marketplace deletes the
// registration.
type Refused struct {
	listener.Refused
	Allowed int    `json:"allowed"`
	Says    string `json:"says"` // what that means, and who mends it
}

// WhyRefused says what a refusal of deliveries means, and who mends it.
func WhyRefused(why string) string { return cmp.Or(refusals[why], why) }

var refusals = map[string]string{
	"signature": "signed with another secret than PUBSYNC_WEBHOOK_SECRET",
	"unsigned": "not signed, as all that no app registered: set PUBSYNC_WEBHOOK_PATH_TOKEN, and give the marketplace " +
		"the address of /webhooks followed by a slash and that token; where the marketplace signs under another name, " +
		"set PUBSYNC_WEBHOOK_HEADER_PREFIX",
	"not_found": "sent to an address where no webhooks are accepted, with another path token perhaps",
	"too_large": "larger than is accepted",
	"cut_off":   "broken off, or sent too slowly: it is accepted when it is sent again",
	"store":     "the store cannot be written",
	"late":      "answered after more than the five seconds that the marketplace waits",
}
