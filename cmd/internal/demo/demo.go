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
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/cmd/internal/setup"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/engine"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
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
)

// AtFlag returns the flag of `sandbox do` for an address.
func AtFlag(address string) string {
	if address == "http://"+Listen {
		return ""
	}
	return " --at " + address
}

// A Demo has a store that goes away at its end.
type Demo struct {
	Env            config.Environment
	Adapter        string // publishes to the shop of this adapter's settings; "": to the demo's own catalogue
	Version        string
	Logger         func(*setup.Setup) *slog.Logger
	Stdout, Stderr io.Writer

	market  *sandbox.Server
	address string // of the admin listener
	catalog string // folder of the catalogue's pages; "" with another adapter
	store   string // its file
	worker  *desk.Client

	mu        sync.Mutex // of Stdout
	following sync.WaitGroup
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
	market := sandbox.New(sandbox.Options{RestoreRate: restoreRate})
	market.AddCatalogue(-1)
	at, err := listenNear(ctx, Listen)
	if err != nil {
		return err
	}
	s.market = sandbox.Serve(market, at)
	defer s.market.Close()
	admin, err := listenNear(ctx, cmp.Or(s.Env.Value(config.Prefix+"ADMIN_LISTEN"), "127.0.0.1:9464"))
	if err != nil {
		return err
	}
	webhook, err := listenNear(ctx, "")
	if err = errors.Join(err, admin.Close()); err != nil { // the worker opens it again
		return err
	}
	if err = webhook.Close(); err != nil {
		return err
	}
	s.address = "http://" + admin.Addr().String()
	hooks := "http://" + webhook.Addr().String() + "/webhooks"
	set := map[string]string{
		"SHOP_ADAPTER": cmp.Or(s.Adapter, Shop), "STORE_PATH": filepath.Join(dir, "demo.db"), "STORE_URL": "",
		"ACCOUNTS_DIR": "", "ALERT_URL": "", "ALERT_MAIL": "",
		"MARKETPLACE_URL": s.market.URL, "MARKETPLACE_TOKEN": sandbox.DefaultToken, "MARKETPLACE_FORMS": "",
		"OAUTH_CLIENT_ID": "", "OAUTH_CLIENT_SECRET": "", "OAUTH_AUTH_URL": "",
		"ADMIN_LISTEN": admin.Addr().String(), "WEBHOOK_LISTEN": webhook.Addr().String(),
		"WEBHOOK_URL": hooks, "WEBHOOK_EVENTS": "", "WEBHOOK_HEADER_PREFIX": "",
		"WEBHOOK_SECRET": sandbox.DefaultSecret, "WEBHOOK_PATH_TOKEN": rand.Text(),
		"SWEEP_SCHEDULE": sweeps, "RESYNC_SCHEDULE": sweeps,
	}
	if s.Adapter == "" {
		s.catalog = cmp.Or(s.Env.Value(catalogDir), s.catalog, filepath.Join(dir, "catalog"))
		set["CATALOG_DIR"], set["CATALOG_URL"] = s.catalog, s.address+"/catalog"
	}
	market.SetChannelWebhook(hooks + "/" + set["WEBHOOK_PATH_TOKEN"])
	if s.Env.Value(config.Prefix+"LOG_LEVEL") == "" {
		set["LOG_LEVEL"] = "error"
	}
	c, err := setup.Load(s.Env.With(set), config.ToRun, s.Version)
	if err != nil {
		return err
	}
	s.worker = &desk.Client{
		Base: s.address, Token: c.AdminToken, HTTP: http.DefaultClient, Logger: slog.New(slog.DiscardHandler),
	}
	s.store = c.StorePath
	fmt.Fprintf(s.Stderr, "the demo's own store, gone at its end: %s\n", s.store)
	return show(ctx, c, s.Logger(c))
}

// listenNear takes a free port if the address is taken or empty.
func listenNear(ctx context.Context, address string) (net.Listener, error) {
	var listen net.ListenConfig
	if address != "" {
		if l, err := listen.Listen(ctx, "tcp", address); err == nil {
			return l, nil
		}
	}
	return listen.Listen(ctx, "tcp", "127.0.0.1:0")
}

// Play runs the worker, with a change every few seconds, until ctx ends.
func (s *Demo) Play(ctx context.Context) error { return s.with(ctx, s.play) }

func (s *Demo) play(ctx context.Context, c *setup.Setup, log *slog.Logger) error {
	if s.catalog != "" {
		c.Pages = map[string]http.Handler{
			"GET /catalog/": http.StripPrefix("/catalog/", http.FileServer(http.Dir(s.catalog))),
		}
	}
	served := make(chan error, 1)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		defer stop() // the demo ends with the worker
		served <- setup.Work(ctx, c, log)
	}()
	s.awaitImport(ctx)
	shop := "the shop            that of the adapter " + s.Adapter + "; what was published there stays when the demo ends"
	if s.catalog != "" {
		shop = "the shop            " + s.address + "/catalog/\nthe shop's folder   " + s.catalog
	}
	fmt.Fprintf(s.Stdout, "the status page     %s/\n%s\n", s.address, shop)
	fmt.Fprintf(s.Stdout, "Every few seconds something happens at the marketplace. In another terminal you decide "+
		"what:\n    %[1]s sandbox do%[2]s price any x1.1     (%[1]s sandbox do --help)\nCtrl-C ends it.\n",
		say.Program(), AtFlag(s.market.URL))
	s.market.Hear(func(event any) {
		if done, ok := event.(sandbox.Outcome); ok {
			s.tell(ctx, done)
		}
	})
	s.market.Live(ctx, orderEvery)
	s.following.Wait()
	return <-served
}

const (
	pollEvery   = 50 * time.Millisecond
	followBound = time.Minute // a slower change is followed no further
	mostFollow  = 3           // publications of one order
)

func (s *Demo) awaitImport(ctx context.Context) {
	trouble := ""
	for ; ctx.Err() == nil; engine.Sleep(ctx, pollEvery) {
		now, err := s.worker.Status(ctx)
		known, counts := 0, []string{}
		for _, state := range store.States() {
			if n := now.Publications[state]; n > 0 {
				known += n
				counts = append(counts, strconv.Itoa(n)+" "+string(state))
			}
		}
		if now.Shop.Paused && now.Shop.Reason != trouble {
			trouble = now.Shop.Reason
			fmt.Fprintf(s.Stderr, "the shop is paused: %s\n", say.Harmless(trouble))
		}
		if err == nil && known >= len(s.market.Publications()) && now.Due == 0 && now.Outbox == 0 {
			s.say("imported: %s (some entries are as suppliers really send them: without a title, a variant, a price)",
				strings.Join(counts, ", "))
			return
		}
	}
}

func (s *Demo) tell(ctx context.Context, done sandbox.Outcome) {
	start := time.Now()
	s.say("%s  %s", start.Format(time.TimeOnly), done.Said)
	switch done.Do {
	case "refuse":
		return // nothing of it reaches the shop
	case "remove": // it sends no webhook
		_ = s.worker.Sweep(ctx, true) //nolint:errcheck // a sweep on the schedule finds it
	}
	for _, id := range done.IDs[:min(len(done.IDs), mostFollow)] {
		p, listed := s.market.Publication(id)
		s.following.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, followBound)
			defer cancel()
			for came := ""; came == "" && ctx.Err() == nil; engine.Sleep(ctx, pollEvery) {
				e, err := s.worker.Explain(ctx, id)
				if came = s.outcome(e, listed, p.UpdatedAt); err == nil && came != "" {
					s.say("          after %.1f s %s", time.Since(start).Seconds(), came)
				}
			}
		})
	}
}

// outcome returns "" until the worker has read the change.
func (s *Demo) outcome(e desk.Explanation, listed bool, since time.Time) string {
	at, err := time.Parse(time.RFC3339Nano, e.Source.UpdatedAt)
	read := listed && err == nil && !at.Before(since)
	switch {
	case len(e.Held) > 0 && (!listed || read):
		return fmt.Sprintf(
			"held: %s\n          let it through: PUBSYNC_ADMIN_LISTEN=%s PUBSYNC_STORE_PATH=%s %s approve %s",
			e.Held[0].Reason, strings.TrimPrefix(s.address, "http://"), s.store, say.Program(), e.ID)
	case !listed && e.State == store.StateWithdrawn:
		return "out of sale"
	case !read || e.Shop.Unsettled != 0:
	case e.Problem != nil && e.Problem.Message != "":
		return fmt.Sprintf("%s: %s", e.State, e.Problem.Message)
	case e.Shop.OnSale:
		return "in the shop: " + e.Shop.URL
	}
	return ""
}

func (s *Demo) say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintln(s.Stdout, say.HarmlessLines(fmt.Sprintf(format, args...)))
}
