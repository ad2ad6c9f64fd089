package cmd

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter"
)

const (
	demoShop        = "catalog" // the adapter of the demo's own shop
	demoRestoreRate = 2000      // points a second: nothing waits for the budget
	demoEvery       = 3 * time.Second
	demoSweep       = 5 * time.Second // finds what a webhook was not sent for, or was sent too often for
	demoPatience    = 8 * time.Second
)

type demoCommand struct {
	Once    bool   `help:"Import, and end."`
	Adapter string `placeholder:"NAME" help:"Publish to the shop of this adapter's settings, not to the demo's own catalogue."`
	jsonFlag
}

// A demo is a marketplace, the worker and a shop in one process, with a store of its own that goes
// away at the end.
type demo struct {
	*demoCommand
	app       *app
	config    *setup
	market    *sandbox.Server
	listeners connector.Listeners
	dir       string // of the store, and of the pages where no other is set
	catalog   string // folder of the catalogue's pages; empty with another adapter
	address   string // of the admin listener
}

// Run shows the main job.
func (d *demoCommand) Run(ctx context.Context, a *app) (err error) {
	if d.JSON && !d.Once {
		return usage("--json goes with --once")
	}
	if d.Adapter == demoShop {
		d.Adapter = "" // it is the demo's own
	}
	c, err := load(a.env.With(config.Prefix+"SHOP_ADAPTER", cmp.Or(d.Adapter, demoShop)), config.ToDemo)
	if err != nil {
		return err
	}
	s := &demo{demoCommand: d, app: a, config: c}
	defer func() { err = errors.Join(err, s.close()) }()
	if err := s.open(ctx); err != nil {
		return err
	}
	level := slog.LevelError // what stands rejected belongs to the show
	if c.Values[config.Prefix+"LOG_LEVEL"] != "" {
		level = c.LogLevel
	}
	log := a.logger(c, level)
	parts, err := c.assemble(ctx, log)
	if err != nil {
		return openError(c, err)
	}
	fmt.Fprintf(a.stderr, "the demo's own store, gone at its end: %s\n", c.StorePath)
	if d.Once {
		return s.once(ctx, log, parts)
	}
	return s.play(ctx, log, parts)
}

// open makes the folder, the marketplace and the listeners, and sets what needs no setting here.
func (s *demo) open(ctx context.Context) (err error) {
	s.dir, err = os.MkdirTemp("", "pubsync-demo-")
	if errors.Is(err, os.ErrNotExist) { // an empty root has no folder for temporary files
		s.dir, err = os.MkdirTemp(".", "pubsync-demo-")
	}
	if err != nil {
		return err
	}
	at, err := listenNear(ctx, sandboxListen)
	if err != nil {
		return err
	}
	market := sandbox.New(sandbox.Options{RestoreRate: demoRestoreRate})
	market.AddCatalogue(len(sandbox.Catalogue()))
	s.market = sandbox.Serve(market, at)
	if s.listeners.Admin, err = listenNear(ctx, string(s.config.AdminListen)); err != nil {
		return err
	}
	if s.listeners.Webhook, err = listenNear(ctx, ""); err != nil {
		return err
	}
	s.address = "http://" + s.listeners.Admin.Addr().String()
	return s.configure(ctx)
}

// listenNear listens on an address, or on a free port of the loopback interface where the address
// is taken or "".
func listenNear(ctx context.Context, address string) (net.Listener, error) {
	var listen net.ListenConfig
	if address != "" {
		if l, err := listen.Listen(ctx, "tcp", address); err == nil {
			return l, nil
		}
	}
	return listen.Listen(ctx, "tcp", "127.0.0.1:0")
}

// configure points the worker at the marketplace, with the channel's webhook and a registered one,
// and at the catalogue unless a shop was named.
func (s *demo) configure(ctx context.Context) error {
	c, hooks := s.config, "http://"+s.listeners.Webhook.Addr().String()+"/webhooks"
	c.StorePath = config.Absolute(filepath.Join(s.dir, "demo.db"))
	c.MarketplaceURL, c.MarketplaceToken = shopadapter.URL(s.market.URL), sandbox.DefaultToken
	c.WebhookSecret, c.WebhookPathToken = sandbox.DefaultSecret, rand.Text()
	c.WebhookHeaderPrefix, c.WebhookEvents = "X-Service", connector.DefaultEvents()
	c.OAuthClientID, c.OAuthClientSecret, c.OAuthAuthURL = "", "", ""
	c.SweepSchedule.Schedule, c.ResyncSchedule.Schedule = cron.Every(demoSweep), cron.Every(demoSweep)
	c.source = nil
	s.market.SetChannelWebhook(hooks + "/" + c.WebhookPathToken)
	if s.Adapter == "" {
		s.catalog = cmp.Or(c.Values[shopadapter.Variable(demoShop, "DIR")], filepath.Join(s.dir, "catalog"))
		c.Adapter = map[string]string{"DIR": s.catalog, "URL": s.address + "/catalog"}
	}
	return c.WebhookURL.EnvDecode(ctx, hooks)
}

// ownPages reports whether the pages go to the demo's own folder.
func (s *demo) ownPages() bool { return s.config.Values[shopadapter.Variable(demoShop, "DIR")] == "" }

// close ends the marketplace and takes the demo's store away. With --once it leaves the pages to be
// looked at.
func (s *demo) close() error {
	if s.market != nil {
		s.market.Close()
	}
	if s.dir == "" || !s.Once || s.catalog == "" || !s.ownPages() {
		return os.RemoveAll(s.dir)
	}
	matches, _ := filepath.Glob(filepath.Join(s.dir, "demo.db*")) //nolint:errcheck // the pattern is good
	var errs []error
	for _, m := range matches {
		errs = append(errs, os.Remove(m))
	}
	return errors.Join(errs...)
}

func (s *demo) once(ctx context.Context, log *slog.Logger, parts *assembly) error {
	if err := errors.Join(s.listeners.Admin.Close(), s.listeners.Webhook.Close()); err != nil {
		return errors.Join(err, parts.close())
	}
	summary, err := runOnce(ctx, s.config, log, parts, desk.RunOptions{Patience: demoPatience})
	if err != nil {
		return err
	}
	if summary.Exit == desk.ExitStanding && ctx.Err() == nil {
		summary.Exit = desk.ExitOK // what stands rejected or pending belongs to the show
	}
	if err := s.app.printSummary(summary, s.JSON); err != nil {
		return err
	}
	if s.catalog != "" {
		fmt.Fprintf(s.app.stderr, "the shop's pages: %s\n", filepath.Join(s.catalog, "index.html"))
	}
	return endedWith(summary.Exit)
}

// play runs the worker, and has something happen every few seconds, until ctx ends.
func (s *demo) play(ctx context.Context, log *slog.Logger, parts *assembly) error {
	pages := map[string]http.Handler{}
	if s.catalog != "" {
		pages["/catalog/"] = http.StripPrefix("/catalog/", http.FileServer(folderWithoutLists{http.Dir(s.catalog)}))
	}
	served := make(chan error, 1)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		defer stop() // where the worker cannot go on the demo does not either
		served <- serve(ctx, s.config, log, parts, s.listeners, pages)
	}()
	story := newStory(s)
	story.importing(ctx)
	if s.catalog != "" {
		fmt.Fprintf(s.app.stdout, "the shop            %s/catalog/\n", s.address)
	}
	fmt.Fprintf(s.app.stdout, "the status page     %s/\n", s.address)
	if s.catalog != "" {
		fmt.Fprintf(s.app.stdout, "the shop's folder   %s\n", s.catalog)
	} else {
		fmt.Fprintf(s.app.stdout, "the shop            that of the adapter %s; what was published there stays when "+
			"the demo ends\n", s.Adapter)
	}
	fmt.Fprintf(
		s.app.stdout,
		"Every few seconds something happens at the marketplace. In another terminal you decide what:\n"+
			"    pubsync sandbox do%s price any x1.1     (pubsync sandbox do --help)\nCtrl-C ends it.\n",
		atFlag(s.market.URL),
	)
	s.market.OnOrder(func(done sandbox.Outcome) { story.tell(ctx, done) })
	s.market.Live(ctx, demoEvery)
	story.end()
	return <-served
}
