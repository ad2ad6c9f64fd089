package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/alert"
	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/engine"
	"github.com/pubsync/pubsync/connector/install"
	"github.com/pubsync/pubsync/store"
)

// Work runs the worker until ctx ends. A database that was away for longer than the lease lasts costs no restart.
func Work(ctx context.Context, c *Setup, log *slog.Logger) error {
	s, err := c.openStore(log, config.ToRun)
	if err != nil {
		return c.StoreError(err)
	}
	l, err := c.listen(ctx)
	if err != nil {
		return errors.Join(err, s.Close())
	}
	l.Follows = func() bool { return ctx.Err() == nil }
	notifies := func(ctx context.Context, _ *Setup, worker *connector.Connector) { notify(ctx, log, worker.Ready) }
	for {
		err = c.work(ctx, s, log, l, notifies)
		if !errors.Is(err, store.ErrFenced) || ctx.Err() != nil {
			return err
		}
		log.Warn("the account's lease was lost: webhooks are refused until it is taken again")
		for s, err = c.open(ctx); err != nil; s, err = c.open(ctx) {
			if engine.Sleep(ctx, time.Second); ctx.Err() != nil {
				return nil //nolint:nilerr // it was stopped
			} else if errors.Is(err, store.ErrLocked) {
				return c.StoreError(err)
			}
		}
	}
}

// A company runs until its worker ends.
type company func(ctx context.Context, now *Setup, worker *connector.Connector)

// work runs a worker, and another one in its place when secrets have changed, then closes the store.
func (c *Setup) work(ctx context.Context, s store.Store, log *slog.Logger, l *connector.Listeners, beside company) (
	err error,
) {
	for next := c; next != nil && err == nil && ctx.Err() == nil; {
		c = next
		next, err = c.workOnce(ctx, s, log, l, beside)
	}
	if !errors.Is(err, store.ErrFenced) {
		l.Shutdown(drain) // a reader of a backup would hold the store open
	}
	return errors.Join(err, s.Close())
}

// workOnce returns the Setup of the worker that is to follow, nil for none.
func (c *Setup) workOnce(ctx context.Context, s store.Store, log *slog.Logger, l *connector.Listeners, beside company) (
	next *Setup, err error,
) {
	worker, err := c.assemble(ctx, s, log)
	if err != nil {
		return nil, c.StoreError(err)
	}
	ctx, end := context.WithCancel(ctx)
	var watch sync.WaitGroup
	var renewed *Setup
	defer func() { // also after a panic, which a process of many accounts survives
		end()
		watch.Wait()
		next, err = renewed, errors.Join(c.WorkError(err), closeSides(worker))
	}()
	for _, a := range c.alerters(worker) {
		watch.Go(func() { a.Run(ctx) })
	}
	watch.Go(func() { beside(ctx, c, worker) })
	watch.Go(func() {
		renewed = c.renewed(ctx, log)
		end()
	})
	return nil, worker.Run(ctx, l)
}

const (
	startTimeout = 30 * time.Second // of the question for the shop's currency
	readyEvery   = 100 * time.Millisecond
)

// assemble makes a worker, and opens its shop and marketplace.
func (c *Setup) assemble(ctx context.Context, s store.Store, log *slog.Logger) (*connector.Connector, error) {
	installed, err := install.Of(ctx, s)
	if err != nil {
		return nil, err
	}
	if l, ok := s.KV.(store.Leased); ok && l.Lost() != nil {
		c.held = l.Held
	}
	shop, err := c.OpenShop(log)
	if err != nil {
		return nil, err
	}
	worker := connector.New(connector.Options{
		Options: engine.Options{
			Settings: c.Publication, RuleSet: c.Figures, Store: s, Shop: shop, ShopName: c.ShopAdapter, Logger: log,
			Redact: c.Redact, Version: c.version, Concurrency: c.ShopConcurrency, AllCalls: c.slots,
			Sweep: c.SweepSchedule.Schedule, Resync: c.ResyncSchedule.Schedule, Variants: c.SweepVariants,
			Install: config.Digest(string(c.MarketplaceURL) + "\n" + cmp.Or(c.MarketplaceToken, c.OAuthClientID)),
		},
		Marketplace: c.openMarketplace(installed, log), App: c.app(log), Desk: c.desk(s),
		WebhookSecret: c.WebhookSecret, WebhookPathToken: c.WebhookPathToken, AdminToken: c.AdminToken,
		WebhookPrefix: c.WebhookHeaderPrefix, WebhookURL: c.WebhookURL, WebhookEvents: c.WebhookEvents,
		Pages: c.Pages,
	})
	asking, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if is, unknown := shop.Check(asking); unknown == nil { // else the worker checks the shop again
		err = c.SameCurrency(is)
	}
	if err != nil {
		return nil, errors.Join(err, closeSides(worker))
	}
	return worker, nil
}

func (c *Setup) app(log *slog.Logger) *install.Options {
	if !c.IsApp() {
		return nil
	}
	return &install.Options{
		InUse: c.ByInstallation(), ClientID: c.OAuthClientID, Secret: c.OAuthClientSecret, Scopes: c.OAuthScopes,
		AuthURL: strings.TrimRight(string(c.OAuthAuthURL), "/"),
		Origin:  c.Origin(), AccountID: c.AccountID, UserAgent: c.userAgent(), Hide: c.hide,
		Account: func(ctx context.Context, token string) (string, error) {
			market := c.openMarketplace(install.Installation{}, log)
			market.SetToken(token)
			account, err := market.Account(ctx)
			return account, errors.Join(err, market.Close())
		},
	}
}

func closeSides(worker *connector.Connector) error {
	return errors.Join(CloseShop(worker.Shop), worker.Reports.Close())
}

// listen opens sockets before shop and marketplace, so that a port in use is reported first.
func (c *Setup) listen(ctx context.Context) (*connector.Listeners, error) {
	webhook, noWebhook := listenAt(ctx, "WEBHOOK_LISTEN", c.WebhookListen)
	admin, noAdmin := listenAt(ctx, "ADMIN_LISTEN", c.AdminListen)
	return &connector.Listeners{Webhook: webhook, Admin: admin}, errors.Join(noWebhook, noAdmin)
}

func listenAt(ctx context.Context, setting, address string) (net.Listener, error) {
	if address == "" {
		return nil, nil
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if op, is := errors.AsType[*net.OpError](err); is {
		err = op.Err // without the address, which is a value
	}
	if err != nil {
		err = fmt.Errorf("%s%s: cannot listen there: %w", config.Prefix, setting, err)
		return nil, &desk.Error{Exit: desk.ExitUsage, Err: err}
	}
	return l, nil
}

func (c *Setup) alerters(worker *connector.Connector) (all []*alert.Alerter) {
	add := func(name string, r alert.Receiver) {
		all = append(all, &alert.Alerter{
			Name: name, Receiver: r, Account: c.Account, Status: worker.Desk().Status, Store: worker.Store,
			Redact: c.Redact, Log: worker.Logger,
		})
	}
	if c.AlertURL != "" {
		client := c.ShopClient()
		client.Timeout = 10 * time.Second // a run does not end before it has told
		add("url", alert.Post{URL: c.AlertURL, Client: client})
	}
	if address := c.AlertMail.URL; address != nil {
		add("mail", alert.Mail{Address: address})
	}
	return all
}

// alone opens shop and marketplace for each run or plan.
type alone struct {
	desk.Alone
	*Setup

	log *slog.Logger
}

// Run tells in the summary what ended it early.
func (j *alone) Run(ctx context.Context, o desk.RunOptions) (desk.Summary, error) {
	worker, err := j.assemble(ctx, j.Store, j.log)
	if err != nil {
		return desk.Summary{}, err
	}
	summary, err := worker.Once(ctx, o)
	if store.Hopeless(err) {
		summary.Error = j.WorkError(err).Error()
	}
	for _, a := range j.alerters(worker) {
		a.Once = true
		a.Pass(ctx, alert.OfRun(summary)...)
	}
	return summary, closeSides(worker)
}

func (j *alone) Plan(ctx context.Context, o desk.RunOptions) (desk.Plan, error) {
	worker, err := j.assemble(ctx, j.Store, j.log)
	if err != nil {
		return desk.NewPlan(), err
	}
	plan, err := engine.Plan(ctx, worker.Options, o)
	if store.Hopeless(err) {
		plan.Error = j.WorkError(err).Error()
	}
	return plan, closeSides(worker)
}

// notify tells systemd when webhooks can be stored.
func notify(ctx context.Context, log *slog.Logger, ready func(context.Context) error) {
	if os.Getenv("NOTIFY_SOCKET") == "" {
		return
	}
	for ; ready(ctx) != nil; engine.Sleep(ctx, readyEvery) {
		if ctx.Err() != nil {
			return
		}
	}
	if _, err := daemon.SdNotify(false, daemon.SdNotifyReady); err != nil {
		log.Warn("systemd cannot be told that the worker is ready", "error", err)
	}
}
