// Package demo runs marketplace, worker and shop in one process, without configuration.
package demo

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/cmd/internal/setup"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/engine"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter"
)

const (
	// Shop is the adapter of the demo's own shop.
	Shop = "catalog"
	// Listen is where a sandbox is served by default.
	Listen = "127.0.0.1:9465"

	restoreRate = 2000            // points a second: nothing waits for them
	orderEvery  = 3 * time.Second // between two changes
	sweeps      = "@every 5s"     // finds changes without a webhook
	patience    = 8 * time.Second // with --once
	pollEvery   = 50 * time.Millisecond
)

// A Demo has a store that goes away at its end.
type Demo struct {
	Env            config.Environment
	Adapter        string // publishes to the shop of this adapter's settings; "": to the demo's own catalogue
	Version        string
	Logger         func(*setup.Setup) *slog.Logger
	Stdout, Stderr io.Writer

	market  *sandbox.Server
	catalog string // folder of the catalogue's pages; "" with another adapter
}

// Once imports, and returns the folder of the catalogue's pages, "" with another adapter.
func (s *Demo) Once(ctx context.Context) (summary desk.Summary, pages string, err error) {
	if s.Adapter == "" && s.Env.Value(catalogDir) == "" {
		if s.catalog, err = temporary(); err != nil {
			return summary, "", err
		}
	}
	err = s.with(ctx, func(ctx context.Context, c *setup.Setup, log *slog.Logger) error {
		d, err := c.OpenDesk(log, config.ToRunOnce)
		if err != nil {
			return err
		}
		summary, err = d.Run(ctx, desk.RunOptions{Patience: patience})
		return errors.Join(err, d.Close())
	})
	if summary.Exit == desk.ExitStanding && ctx.Err() == nil {
		summary.Exit = desk.ExitOK // rejected and pending publications are part of the demo
	}
	return summary, s.catalog, err
}

var catalogDir = shopadapter.Variable(Shop, "DIR")

func temporary() (string, error) {
	dir, err := os.MkdirTemp("", "pubsync-demo-")
	if errors.Is(err, os.ErrNotExist) { // an empty root has no folder for temporary files
		return os.MkdirTemp(".", "pubsync-demo-")
	}
	return dir, err
}

// with calls show with a marketplace and a store that then go away.
func (s *Demo) with(ctx context.Context, show func(context.Context, *setup.Setup, *slog.Logger) error) (err error) {
	dir, err := temporary()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	at, err := listen(ctx, Listen)
	if err != nil {
		return err
	}
	market := sandbox.New(sandbox.Options{RestoreRate: restoreRate})
	market.AddCatalogue(-1)
	s.market = sandbox.Serve(market, at)
	defer s.market.Close()
	admin, err := addressNear(ctx, cmp.Or(s.Env.Value(config.Prefix+"ADMIN_LISTEN"), "127.0.0.1:9464"))
	if err != nil {
		return err
	}
	webhook, err := addressNear(ctx, anyPort)
	if err != nil {
		return err
	}
	hooks, pathToken := "http://"+webhook+"/webhooks", rand.Text()
	market.SetChannelWebhook(hooks + "/" + pathToken)
	set := map[string]string{
		"SHOP_ADAPTER": cmp.Or(s.Adapter, Shop), "STORE_PATH": filepath.Join(dir, "demo.db"), "STORE_URL": "",
		"ACCOUNTS_DIR": "", "ALERT_URL": "", "ALERT_MAIL": "",
		"MARKETPLACE_URL": s.market.URL, "MARKETPLACE_TOKEN": sandbox.DefaultToken, "MARKETPLACE_FORMS": "",
		"OAUTH_CLIENT_ID": "", "OAUTH_CLIENT_SECRET": "", "OAUTH_AUTH_URL": "",
		"ADMIN_LISTEN": admin, "WEBHOOK_LISTEN": webhook,
		"WEBHOOK_URL": hooks, "WEBHOOK_EVENTS": "", "WEBHOOK_HEADER_PREFIX": "",
		"WEBHOOK_SECRET": sandbox.DefaultSecret, "WEBHOOK_PATH_TOKEN": pathToken,
		"SWEEP_SCHEDULE": sweeps, "RESYNC_SCHEDULE": sweeps,
		"LOG_LEVEL": cmp.Or(s.Env.Value(config.Prefix+"LOG_LEVEL"), "error"),
	}
	if s.Adapter == "" {
		s.catalog = cmp.Or(s.Env.Value(catalogDir), s.catalog, filepath.Join(dir, "catalog"))
		set["CATALOG_DIR"], set["CATALOG_URL"] = s.catalog, "http://"+admin+"/catalog"
	}
	c, err := setup.Load(s.Env.With(set), config.ToRun, s.Version)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Stderr, "the demo's own store, gone at its end: %s\n", c.StorePath)
	return show(ctx, c, s.Logger(c))
}

const anyPort = "127.0.0.1:0"

// listen takes a free port if the address is taken.
func listen(ctx context.Context, address string) (net.Listener, error) {
	var socket net.ListenConfig
	l, err := socket.Listen(ctx, "tcp", address)
	if err != nil {
		l, err = socket.Listen(ctx, "tcp", anyPort)
	}
	return l, err
}

// addressNear returns an address that the worker can listen on.
func addressNear(ctx context.Context, address string) (string, error) {
	l, err := listen(ctx, address)
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// Play runs the worker, with a change every few seconds, until ctx ends.
func (s *Demo) Play(ctx context.Context) error { return s.with(ctx, s.play) }

func (s *Demo) play(ctx context.Context, c *setup.Setup, log *slog.Logger) error {
	c.Pages = map[string]http.Handler{}
	if s.catalog != "" {
		c.Pages["GET /catalog/"] = http.StripPrefix("/catalog/", http.FileServer(http.Dir(s.catalog)))
	}
	served := make(chan error, 1)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		defer stop() // the demo ends with the worker
		served <- setup.Work(ctx, c, log)
	}()
	worker := &desk.Client{
		Base: "http://" + c.AdminListen, Token: c.AdminToken, HTTP: http.DefaultClient,
		Logger: slog.New(slog.DiscardHandler),
	}
	var now desk.Status
	for now.Sweeps.Full.Completed.IsZero() || now.Due > 0 { // until the list is imported
		engine.Sleep(ctx, pollEvery)
		if ctx.Err() != nil {
			return <-served
		}
		now, _ = worker.Status(ctx) //nolint:errcheck // the worker's log tells
	}
	s.introduce(c)
	var mu sync.Mutex // of Stdout
	s.market.Hear(func(event any) {
		done, ok := event.(sandbox.Outcome)
		if !ok {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(s.Stdout, "%s  %s\n", time.Now().Format(time.TimeOnly), say.Harmless(done.Said))
		if done.Do == "remove" { // it sends no webhook
			_ = worker.Sweep(ctx, true) //nolint:errcheck // a sweep on the schedule finds it
		}
	})
	s.market.Live(ctx, orderEvery)
	return <-served
}

func (s *Demo) introduce(c *setup.Setup) {
	shop := "that of the adapter " + s.Adapter + "; what was published there stays when the demo ends"
	if s.catalog != "" {
		shop = "http://" + c.AdminListen + "/catalog/\nthe shop's folder   " + s.catalog
	}
	fmt.Fprintf(s.Stdout, "the status page     http://%s/\nthe shop            %s\n", c.AdminListen, shop)
	fmt.Fprintf(s.Stdout, "Every few seconds something happens at the marketplace; the status page shows what is held. "+
		"In another terminal you decide:\n"+
		"    %[1]s sandbox do --at %[2]s price any x1.1     (%[1]s sandbox do --help)\n"+
		"    PUBSYNC_ADMIN_LISTEN=%[3]s PUBSYNC_STORE_PATH=%[4]s %[1]s approve --all\nCtrl-C ends it.\n",
		say.Program(), s.market.URL, c.AdminListen, c.StorePath)
}
