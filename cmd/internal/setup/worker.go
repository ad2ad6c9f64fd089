package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/alert"
	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/engine"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/secrets"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// Parts are what a worker is made of, to be closed together.
type Parts struct {
	store   store.Store
	market  *marketplace.Client
	shop    shopadapter.Adapter
	secrets *secretSource // nil: no secret is read again
}

// Assemble opens the store, which no other process may hold, the shop and the marketplace.
func (c *Setup) Assemble(ctx context.Context, log *slog.Logger) (*Parts, error) {
	s, err := c.openStore(log, ToMake)
	if err != nil {
		return nil, c.StoreError(err)
	}
	parts, err := c.assembleOn(ctx, s, log)
	if err != nil {
		return nil, c.StoreError(errors.Join(err, s.Close()))
	}
	return parts, nil
}

// startTimeout is how long a start waits for the shop's answer to the question for its currency.
const startTimeout = 30 * time.Second

// assembleOn opens shop and marketplace beside an open store.
func (c *Setup) assembleOn(ctx context.Context, s store.Store, log *slog.Logger) (*Parts, error) {
	token := c.MarketplaceToken
	if c.ByInstallation() {
		i, _, err := store.InstallationOf(ctx, s)
		if err != nil {
			return nil, err
		}
		token = c.unseal(i, log)
	}
	if l, ok := s.KV.(store.Leased); ok && l.Lost() != nil {
		c.held = l.Held
	}
	shop, err := c.OpenShop(log)
	if err != nil {
		return nil, err
	}
	parts := &Parts{store: s, market: c.openMarketplace(token, log), shop: shop}
	asking, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if is, err := shop.Check(asking); err == nil { // a shop that does not answer is checked again by the worker
		if err := c.SameCurrency(is); err != nil {
			return nil, errors.Join(err, parts.closeSides())
		}
	}
	return parts, nil
}

// Close closes the adapter, then the store.
func (p *Parts) Close() error { return errors.Join(p.closeSides(), p.store.Close()) }

func (p *Parts) closeSides() error {
	errs := []error{CloseShop(p.shop), p.market.Close()}
	if p.secrets != nil {
		for _, shop := range p.secrets.opened {
			errs = append(errs, CloseShop(shop))
		}
	}
	return errors.Join(errs...)
}

// engineOptions is what runs and plans go by.
func (c *Setup) engineOptions(p *Parts) engine.Options {
	return engine.Options{
		Settings: publication.Settings{
			Rules: c.Rules, Brake: c.Brake, OnRemoved: c.OnRemoved, ReportDrift: c.OnDrift == "report",
			FailAfter: c.FailAfter, RefreshAfter: c.RefreshAfter,
		},
		RuleSet: c.RuleSet, Writes: c.Writes, Store: p.store, Shop: p.shop, ShopName: c.ShopAdapter, Redact: c.Redact,
		Version: c.version, Concurrency: c.ShopConcurrency,
		Sweep: c.SweepSchedule.Schedule, Resync: c.ResyncSchedule.Schedule, Variants: c.SweepVariants,
		Install: config.Digest(string(c.MarketplaceURL) + "\n" + cmp.Or(c.MarketplaceToken, c.OAuthClientID)),
	}
}

func (c *Setup) connector(ctx context.Context, p *Parts, log *slog.Logger, pages map[string]http.Handler) (
	*connector.Connector, error,
) {
	var reread func() secrets.Set
	if p.secrets = newSecretSource(c, log); p.secrets != nil {
		reread = p.secrets.read
	}
	o := c.engineOptions(p)
	o.Logger, o.AllCalls, o.Visitor = log, c.slots, c.Visitor()
	return connector.New(ctx, connector.Options{
		Options: o, Marketplace: p.market, Reread: reread,
		Webhook: connector.WebhookOptions{
			Secret: c.WebhookSecret, PathToken: c.WebhookPathToken, Prefix: string(c.WebhookHeaderPrefix),
			URL: c.WebhookURL.String(), Events: c.WebhookEvents,
		},
		App: c.appOptions(log),
		Admin: connector.AdminOptions{
			Token: c.AdminToken, Settings: c.Digests, Pages: pages, Marketplace: string(c.MarketplaceURL),
			Figures: c.FigureValues(), Try: c.Try, BackUp: c.backUp,
		},
	})
}

// appOptions returns the settings of the public app, nil if pubsync is none.
func (c *Setup) appOptions(log *slog.Logger) *connector.AppOptions {
	if !c.IsApp() {
		return nil
	}
	hide := func(token string) { c.filter.hide(token) }
	return &connector.AppOptions{
		ClientID: c.OAuthClientID, Secret: c.OAuthClientSecret, AuthURL: strings.TrimRight(string(c.OAuthAuthURL), "/"),
		Scopes: c.OAuthScopes, Origin: c.WebhookURL.Origin(), UserAgent: c.userAgent(), InUse: c.ByInstallation(),
		Hide: hide, Kept: hide,
		Account: func(ctx context.Context, token string) (string, error) {
			market := c.openMarketplace(token, log)
			account, err := market.Account(ctx)
			return account, errors.Join(err, market.Close())
		},
	}
}

// Work runs the worker until ctx ends.
func Work(ctx context.Context, c *Setup, log *slog.Logger) error {
	parts, err := c.Assemble(ctx, log)
	if err != nil {
		return err
	}
	listeners, err := c.listen(ctx)
	if err != nil {
		return errors.Join(err, parts.Close())
	}
	return Serve(ctx, c, log, parts, listeners, nil)
}

// Serve runs the worker on open listeners, and closes everything at its end.
func Serve(ctx context.Context, c *Setup, log *slog.Logger, parts *Parts, l connector.Listeners,
	pages map[string]http.Handler,
) error {
	defer c.place.announce(me("run", addressOf(l, log)), parts.store, log)()
	return c.run(ctx, log, parts, l, pages, func(ctx context.Context, worker *connector.Connector) func() {
		alive := func(ctx context.Context) { _, _ = parts.store.Counts(ctx) } //nolint:errcheck // an error is an answer
		return func() { notify(ctx, log, worker.Ready, alive) }
	})
}

// run runs the worker that is made of parts until ctx ends, and closes them. beside is called before, and what it
// returns runs beside the worker: its context ends with the worker's work.
func (c *Setup) run(ctx context.Context, log *slog.Logger, parts *Parts, l connector.Listeners,
	pages map[string]http.Handler, beside func(context.Context, *connector.Connector) func(),
) error {
	worker, err := c.connector(ctx, parts, log, pages)
	if err != nil {
		return errors.Join(err, parts.Close())
	}
	err = func() error {
		watched, unwatch := context.WithCancel(ctx)
		var watch sync.WaitGroup
		defer func() { // before the store is closed, and after a panic too, which a process of many accounts survives
			unwatch()
			watch.Wait()
		}()
		watch.Go(func() { c.alerter(worker, parts.store, log).Run(watched) })
		watch.Go(beside(watched, worker))
		return worker.Run(ctx, l)
	}()
	return errors.Join(c.WorkError(err), parts.Close())
}

// addressOf is the address of the admin listener. The log tells those of both.
func addressOf(l connector.Listeners, log *slog.Logger) (admin string) {
	if l.Admin != nil {
		admin = l.Admin.Addr().String()
		log.Info("dashboard, metrics and health", "address", "http://"+admin+"/")
	}
	if l.Webhook != nil {
		log.Info("webhooks", "address", l.Webhook.Addr().String())
	}
	return admin
}

// listen opens the sockets before anything is done, so that a port in use is reported first.
func (c *Setup) listen(ctx context.Context) (l connector.Listeners, err error) {
	open := func(setting, address string) (net.Listener, error) {
		if address == "" {
			return nil, nil //nolint:nilnil // it is off
		}
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
		var op *net.OpError
		if errors.As(err, &op) {
			err = op.Err // without the address, which is a value
		}
		if err != nil {
			err = &desk.Error{
				Exit: desk.ExitUsage, Err: fmt.Errorf("%s%s: cannot listen there: %w", config.Prefix, setting, err),
			}
			return nil, err
		}
		return l, nil
	}
	if l.Webhook, err = open("WEBHOOK_LISTEN", string(c.WebhookListen)); err != nil {
		return l, err
	}
	if l.Admin, err = open("ADMIN_LISTEN", string(c.AdminListen)); err != nil && l.Webhook != nil {
		err = errors.Join(err, l.Webhook.Close())
	}
	return l, err
}

const alertTimeout = 10 * time.Second

// alerter tells the receivers of the settings what needs a person. Without any it does nothing.
func (c *Setup) alerter(worker *connector.Connector, facts store.Store, log *slog.Logger) *alert.Alerter {
	receivers := map[string]alert.Receiver{}
	if c.AlertURL != "" {
		client := c.ShopClient()
		client.Timeout = alertTimeout
		receivers["url"] = alert.Post{URL: string(c.AlertURL), Client: client}
	}
	if address := c.AlertMail.URL; address != nil {
		receivers["mail"] = alert.Mail{Address: address}
	}
	return &alert.Alerter{
		Receivers: receivers, Account: c.Account, Desk: worker.Desk(), Store: facts, Redact: c.Redact, Log: log,
	}
}

// alone does the jobs of a desk in a process without a worker. It opens shop and marketplace for
// each job.
type alone struct {
	*Setup
	log   *slog.Logger
	store store.Store
}

func (j *alone) Run(ctx context.Context, o desk.RunOptions) (desk.Summary, error) {
	parts, err := j.assembleOn(ctx, j.store, j.log)
	if err != nil {
		return desk.Summary{}, err
	}
	summary, err := RunOnce(ctx, j.Setup, j.log, parts, o)
	return summary, errors.Join(err, parts.closeSides())
}

// RunOnce makes a single run.
func RunOnce(ctx context.Context, c *Setup, log *slog.Logger, parts *Parts, o desk.RunOptions) (desk.Summary, error) {
	defer c.place.announce(me("run --once", ""), parts.store, log)()
	worker, err := c.connector(ctx, parts, log, nil)
	if err != nil {
		return desk.Summary{}, err
	}
	o.Progress = logged(o.Progress, log)
	summary, err := worker.Once(ctx, o)
	if store.Hopeless(err) {
		summary.Error = c.WorkError(err).Error()
	}
	c.alerter(worker, parts.store, log).Pass(ctx, alert.OfRun(summary)...)
	return summary, nil
}

func (j *alone) Plan(ctx context.Context, o desk.RunOptions) (desk.Plan, error) {
	parts, err := j.assembleOn(ctx, j.store, j.log)
	if err != nil {
		return desk.NewPlan(), err
	}
	planner := engine.Planner{
		Options: j.engineOptions(parts), Patience: o.Patience, Progress: logged(o.Progress, j.log),
	}
	planner.Market = parts.market.Reader
	plan, err := planner.Plan(ctx, o.Full)
	if store.Hopeless(err) {
		plan.Error = j.WorkError(err).Error()
	}
	return plan, parts.closeSides()
}

const progressEvery = 30 * time.Second

// logged is progress, or where that is nil a function that logs how far a run has come, every thirty seconds.
func logged(progress func(desk.Progress), log *slog.Logger) func(desk.Progress) {
	if progress != nil {
		return progress
	}
	last := time.Now()
	return func(p desk.Progress) {
		if now := time.Now(); now.Sub(last) >= progressEvery {
			last = now
			log.Info("run under way", "listed", p.Listed, "done", p.Done, "due", p.Due)
		}
	}
}
