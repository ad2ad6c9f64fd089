// Package alert tells people what needs them, and when it no longer does: as a JSON POST that Slack,
// Mattermost and Discord show, and as mail. Each cause is told at most once an hour, also over
// restarts, and once more when it is resolved. A receiver that fails is tried again with the next
// look, and the worker waits for nothing of it. No message and no error has a secret in it, and the
// addresses are secrets themselves.
package alert

import (
	"context"
	"log/slog"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/store"
)

const (
	every       = time.Minute      // between two looks
	sendTimeout = 10 * time.Second // bounds one message to one receiver
	mostText    = 1900             // characters of a message: Discord takes 2,000
)

// An Alerter looks at a worker, or at the end of a single run, and tells its receivers.
type Alerter struct {
	Receivers map[string]Receiver // by name
	Desk      Desk
	Store     store.Store
	Redact    func(string) string
	Account   string // whose worker it is; "": there is one account
	Log       *slog.Logger

	failing map[string]string // receiver -> the last error that was logged
}

// A Desk is what an alerter asks: a desk.Local, or the desk.Client of a command.
type Desk interface {
	Status(ctx context.Context) (desk.Status, error)
	Publications(ctx context.Context, q desk.Query) (desk.List, error)
}

func (a *Alerter) Run(ctx context.Context) {
	if len(a.Receivers) == 0 {
		return
	}
	for ctx.Err() == nil {
		breaker.Sleep(ctx, every)
		a.Pass(ctx)
	}
}

// sent is the books in the store: what each receiver knows.
const sent store.Fact[map[string]book] = "alerts"

// Pass looks once, and tells each receiver what it does not know of that and of the other causes.
func (a *Alerter) Pass(ctx context.Context, others ...Cause) {
	if len(a.Receivers) == 0 || ctx.Err() != nil {
		return
	}
	now := time.Now()
	status, err := a.Desk.Status(ctx)
	if err != nil {
		return // the next look sees it, and readyz does
	}
	found, err := Causes(ctx, a.Desk, status, now)
	if err != nil {
		return // as above
	}
	found = append(found, others...)
	books, _, err := sent.Get(ctx, a.Store)
	if err != nil {
		a.Log.Warn("alerts that were sent are not known", "error", err)
	}
	after := map[string]book{}
	for name, receiver := range a.Receivers {
		next, fresh, gone := books[name].next(found, now)
		after[name] = next
		if len(fresh)+len(gone) == 0 {
			continue
		}
		sending, cancel := context.WithTimeout(ctx, sendTimeout)
		err := receiver.Send(sending, a.Redact(a.message(fresh, gone)))
		cancel()
		if err != nil {
			after[name] = books[name] // it is told with the next look
		}
		a.complain(name, err)
	}
	if reflect.DeepEqual(books, after) {
		return
	}
	if err := sent.Set(ctx, a.Store, after); err != nil && ctx.Err() == nil {
		a.Log.Warn("alerts that were sent cannot be kept, they may come again", "error", err)
	}
}

func (a *Alerter) complain(name string, err error) {
	said := ""
	if err != nil {
		said = a.Redact(err.Error())
	}
	if said != "" && said != a.failing[name] {
		a.Log.Warn("alert cannot be sent, trying again", "receiver", name, "error", said)
	}
	if a.failing == nil {
		a.failing = map[string]string{}
	}
	a.failing[name] = said
}

func (a *Alerter) message(fresh, gone []string) string {
	host, _ := os.Hostname() //nolint:errcheck // it is only told
	if a.Account != "" {
		host += ", account " + a.Account + ","
	}
	var lines []string
	list := func(head string, texts []string) {
		if len(texts) > 0 {
			lines = append(lines, "pubsync on "+host+head+":")
		}
		for _, text := range texts {
			lines = append(lines, "• "+text)
		}
	}
	list(" needs you", fresh)
	list(", resolved", gone)
	return cut(strings.Join(lines, "\n"), mostText)
}

// cut is at most so many characters of a text.
func cut(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}
