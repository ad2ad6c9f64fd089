// Package alert tells people what needs them and when that is resolved, by mail and as JSON for Slack, Mattermost
// and Discord. It tells a cause at most once an hour, also over restarts. The worker waits for no receiver.
// Messages and errors have no secrets; the addresses are secrets.
package alert

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wneessen/go-mail"

	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/connector/admin"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/engine"
	"github.com/pubsync/pubsync/store"
)

const (
	every         = time.Minute      // between two looks
	sendTimeout   = 10 * time.Second // of one message
	mostText      = 1900             // characters: Discord takes 2,000
	mostOfAReason = 300              // characters

	quiet         = time.Hour       // between two alerts of one cause
	resolvedAfter = time.Minute     // a cause that is gone for so long is resolved
	longPause     = 5 * time.Minute // a longer one needs a person
	longNoSweep   = 3 * time.Hour   // without a completed sweep
)

// An Alerter tells one receiver of a worker, or of the end of a single run.
type Alerter struct {
	Name     string
	Receiver Receiver
	Status   func(context.Context) (desk.Status, error)
	Store    store.Store
	Redact   func(string) string
	Account  string // whose worker it is; "": there is one account
	Once     bool   // of the end of a single run, not of a worker
	Log      *slog.Logger

	failing string // the last logged error
}

// Run looks once a minute until ctx ends.
func (a *Alerter) Run(ctx context.Context) {
	for ctx.Err() == nil {
		engine.Sleep(ctx, every)
		a.Pass(ctx)
	}
}

// Pass looks once and tells what it finds, with others.
func (a *Alerter) Pass(ctx context.Context, others ...Cause) {
	status, err := a.Status(ctx)
	if err != nil {
		return // the next look and readyz see it
	}
	now := time.Now()
	kept := store.Fact[book]("alerts " + a.Name)
	told, _, err := kept.Get(ctx, a.Store)
	if err != nil {
		a.Log.Warn("alerts that were sent are not known", "error", err)
	}
	found, before := append(Causes(status, now), others...), maps.Clone(told)
	if status.Shop.Paused { // and what was blocked is not gone
		found = append(found, Cause{Key: "blocked"})
	}
	resolved := resolvedAfter
	if a.Once {
		resolved = 0
	} else if now.Sub(status.Started) < longPause { // how long a side has been away is not known yet
		found = append(found, Cause{Key: "marketplace"}, Cause{Key: "shop"})
	}
	if told == nil {
		told = book{}
	}
	fresh, gone := told.update(found, now, resolved)
	if ctx.Err() != nil || len(fresh)+len(gone) > 0 && !a.send(ctx, fresh, gone) || maps.Equal(before, told) {
		return // what was not sent is told by the next look
	}
	if err := kept.Set(ctx, a.Store, told); err != nil {
		a.Log.Warn("alerts that were sent cannot be kept, they may come again", "error", err)
	}
}

func (a *Alerter) send(ctx context.Context, fresh, gone []string) bool {
	host, _ := os.Hostname() //nolint:errcheck // it is only told
	if a.Account != "" {
		host += ", account " + a.Account + ","
	}
	var texts []string
	if len(fresh) > 0 {
		texts = append(texts, "pubsync on "+host+" needs you:\n• "+strings.Join(fresh, "\n• "))
	}
	if len(gone) > 0 {
		texts = append(texts, "pubsync on "+host+", resolved:\n• "+strings.Join(gone, "\n• "))
	}
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	said := ""
	if err := a.Receiver.Send(ctx, a.Redact(say.Cut(strings.Join(texts, "\n"), mostText))); err != nil {
		said = a.Redact(err.Error())
	}
	if said != "" && said != a.failing {
		a.Log.Warn("alert cannot be sent, trying again", "receiver", a.Name, "error", said)
	}
	a.failing = said
	return said == ""
}

// mentions are characters by which receivers link, format, or call people.
var mentions = strings.NewReplacer("<", "‹", ">", "›", "@", "＠", "`", "'")

// short puts a foreign text on one bounded line. A name in it, @anna say, notifies no member of a chat.
func short(text string) string {
	text = mentions.Replace(say.Harmless(strings.Join(strings.Fields(text), " ")))
	return strings.TrimRight(say.Cut(text, mostOfAReason), ". ")
}

// A Cause is something that needs a person.
type Cause struct {
	Key  string // the same while the cause lasts
	Text string // with the command that tells more; "": not known, neither told nor resolved
}

// Causes returns what needs a person.
func Causes(s desk.Status, now time.Time) (found []Cause) {
	add := func(key, format string, args ...any) { found = append(found, Cause{key, fmt.Sprintf(format, args...)}) }
	if n := s.Publications[store.StateHeld]; n > 0 {
		add("held", "products with a change that waits for your approval: %d. See: pubsync approve --list", n)
	}
	if n := s.Publications[store.StateBlocked]; n > 0 && !s.Shop.Paused { // a paused shop blocks them all
		add("blocked", "products that are blocked: %d. See: pubsync publications --state blocked", n)
	}
	pauses := func(name string, side desk.Side) {
		if side.Paused && side.Since != 0 && now.Sub(side.Since.Time()) >= longPause {
			add(name, "the %s cannot be used since %s: %s. See: pubsync doctor", name,
				side.Since.Time().UTC().Format("15:04 UTC"), short(side.Reason))
		}
	}
	pauses("marketplace", s.Marketplace)
	pauses("shop", s.Shop)
	switch {
	case s.Denied != "":
		add("reports", "%s; reports that wait: %d", short(s.Denied), s.Refused)
	case s.Refused > 0:
		add("reports", "reports that the marketplace refuses: %d. See: pubsync status", s.Refused)
	}
	if s.Store.Error != "" {
		add("store", "the store cannot be written, webhooks are refused: %s", short(s.Store.Error))
	}
	swept := s.Sweeps.Incremental.Completed
	if s.Started.After(swept) {
		swept = s.Started
	}
	if !s.Started.IsZero() && now.Sub(swept) > longNoSweep && now.Sub(s.Sweeps.Full.Completed) > longNoSweep {
		add("sweeps", "no sweep has been completed for %s: prices and stock may be old. See: pubsync status",
			strings.TrimSuffix(now.Sub(swept).Round(time.Minute).String(), "0s"))
	}
	if r := s.Webhook.Refused; s.Webhook.Refuses() {
		add("webhooks", "%d webhooks in a row were refused (%s); after 19 the marketplace deletes the registration. "+
			"See: pubsync doctor", r.InARow, short(r.Says))
	}
	return found
}

// OfRun returns the cause if a single run ended early.
func OfRun(s desk.Summary) []Cause {
	if s.Exit <= desk.ExitStanding {
		return nil
	}
	// a key for each exit code: a token that one side refuses says nothing of the other
	return []Cause{{fmt.Sprint("run ", s.Exit), "a run ended early: " + short(s.Error)}}
}

// A book has what was told, by the key of its cause.
type book map[string]entry

type entry struct {
	Said time.Time `json:"said"`
	Text string    `json:"text"`
	Open bool      `json:"open,omitempty"` // told, and not yet as resolved
	Gone time.Time `json:"gone,omitzero"`  // since when it was not met
}

// update returns texts to tell: fresh of causes that are new, or changed and told an hour ago, and gone.
func (b book) update(found []Cause, now time.Time, resolved time.Duration) (fresh, gone []string) {
	met := map[string]bool{}
	for _, c := range found {
		e, kept := b[c.Key]
		if met[c.Key] = true; c.Text == "" && !kept {
			continue
		}
		if e.Gone = (time.Time{}); c.Text != "" && now.Sub(e.Said) >= quiet && (!e.Open || e.Text != c.Text) {
			e.Said, e.Text, e.Open = now, c.Text, true
			fresh = append(fresh, c.Text)
		}
		b[c.Key] = e
	}
	for key, e := range b {
		switch {
		case met[key]:
		case !e.Open && now.Sub(e.Said) >= quiet:
			delete(b, key)
		case e.Open:
			if e.Gone = cmp.Or(e.Gone, now); now.Sub(e.Gone) >= resolved {
				e.Open = false
				gone = append(gone, e.Text)
			}
			b[key] = e
		}
	}
	slices.Sort(gone)
	return fresh, gone
}

// A Receiver gets messages. Its errors have no secret and no address.
type Receiver interface {
	Send(ctx context.Context, text string) error
}

// A Post sends JSON: Slack and Mattermost read its text, Discord its content.
type Post struct {
	URL    string
	Client *http.Client
}

func (p Post) Send(ctx context.Context, text string) error {
	body, err := json.Marshal(map[string]string{"text": text, "content": text})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL, bytes.NewReader(body))
	if err != nil {
		return errors.New("the address cannot be used")
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := p.Client.Do(req)
	if err != nil {
		return errors.Unwrap(err) // without the address, which is a secret
	}
	_ = res.Body.Close() //nolint:errcheck // it is not read
	if res.StatusCode/100 != 2 {
		return fmt.Errorf("the receiver answered HTTP %d", res.StatusCode)
	}
	return nil
}

// A Mail sends by SMTP as smtp://user:password@host:port/?from=a&to=b says.
type Mail struct{ Address *url.URL }

func (m Mail) Send(ctx context.Context, text string) error {
	msg := mail.NewMsg(mail.WithNoDefaultUserAgent())
	query := m.Address.Query()
	if err := msg.From(query.Get("from")); err != nil {
		return err
	}
	if err := msg.ToFromString(strings.Join(query["to"], ",")); err != nil {
		return err
	}
	subject, _, _ := strings.Cut(text, "\n")
	msg.Subject(strings.TrimSuffix(subject, ":"))
	msg.SetDate()
	msg.SetMessageID()
	msg.SetBodyString(mail.TypeTextPlain, text+"\n")
	client, err := mail.NewClient(m.Address.Hostname(), m.options()...)
	if err != nil {
		return err
	}
	return client.DialAndSendWithContext(ctx, msg)
}

// options let a password go to another machine only by TLS.
func (m Mail) options() []mail.Option {
	here := admin.IsLoopback(m.Address.Hostname())
	policy, auth := mail.TLSMandatory, mail.SMTPAuthAutoDiscover
	if m.Address.User == nil || here {
		policy = mail.TLSOpportunistic
	}
	if here {
		auth = mail.SMTPAuthPlainNoEnc
	}
	port, err := strconv.Atoi(m.Address.Port())
	if err != nil {
		port = mail.DefaultPortTLS
	}
	options := []mail.Option{mail.WithPort(port), mail.WithTimeout(sendTimeout), mail.WithTLSPolicy(policy)}
	if port == mail.DefaultPortSSL {
		options = append(options, mail.WithSSL())
	}
	if user := m.Address.User; user != nil {
		password, _ := user.Password()
		options = append(options, mail.WithSMTPAuth(auth), mail.WithUsername(user.Username()),
			mail.WithPassword(password))
	}
	return options
}
