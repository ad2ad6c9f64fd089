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
	// Patience is that of a demo's single run.
	Patience = 8 * time.Second

	restoreRate = 2000            // points a second: nothing waits for them
	orderEvery  = 3 * time.Second // between two changes
	sweeps      = "@every 5s"     // finds changes without a webhook
	pollEvery   = 50 * time.Millisecond
	anyPort     = "127.0.0.1:0"
)

// A Stage is a marketplace, and the settings of a worker beside it.
type Stage struct {
	Env     config.Environment
	Store   string                  // path
	Catalog string                  // folder of the catalogue's pages; "" with another adapter
	Pages   map[string]http.Handler // of the admin listener

	adapter, admin, folder string
	market                 *sandbox.Server
}

// Open begins a marketplace. Products go to the shop of this adapter's settings, or for "" to a catalogue, which stays
// after Close if keep is set.
func Open(ctx context.Context, env config.Environment, adapter string, keep bool) (*Stage, error) {
	dir, err := os.MkdirTemp("", "pubsync-demo-")
	if err != nil {
		return nil, err
	}
	s := &Stage{adapter: adapter, folder: dir, Store: filepath.Join(dir, "demo.db"), Pages: map[string]http.Handler{}}
	if err := s.open(ctx, env, keep); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close ends the marketplace, and removes the store.
func (s *Stage) Close() error {
	if s.market != nil {
		s.market.Close()
	}
	return os.RemoveAll(s.folder)
}

func (s *Stage) open(ctx context.Context, env config.Environment, keep bool) error {
	at, err := listen(ctx, Listen)
	if err != nil {
		return err
	}
	market := sandbox.New(sandbox.Options{RestoreRate: restoreRate})
	market.AddCatalogue(-1)
	s.market = sandbox.Serve(market, at)
	s.admin, err = addressNear(ctx, cmp.Or(env.Value(config.Prefix+"ADMIN_LISTEN"), "127.0.0.1:9464"))
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
		"SHOP_ADAPTER": cmp.Or(s.adapter, Shop), "STORE_PATH": s.Store, "STORE_URL": "",
		"ACCOUNTS_DIR": "", "ALERT_URL": "", "ALERT_MAIL": "",
		"MARKETPLACE_URL": s.market.URL, "MARKETPLACE_TOKEN": sandbox.DefaultToken, "MARKETPLACE_FORMS": "",
		"OAUTH_CLIENT_ID": "", "OAUTH_CLIENT_SECRET": "", "OAUTH_AUTH_URL": "",
		"ADMIN_LISTEN": s.admin, "WEBHOOK_LISTEN": webhook,
		"WEBHOOK_URL": hooks, "WEBHOOK_EVENTS": "", "WEBHOOK_HEADER_PREFIX": "",
		"WEBHOOK_SECRET": sandbox.DefaultSecret, "WEBHOOK_PATH_TOKEN": pathToken,
		"SWEEP_SCHEDULE": sweeps, "RESYNC_SCHEDULE": sweeps,
		"LOG_LEVEL": cmp.Or(env.Value(config.Prefix+"LOG_LEVEL"), "error"),
	}
	if s.adapter == "" {
		s.Catalog = cmp.Or(env.Value(shopadapter.Variable(Shop, "DIR")), filepath.Join(s.folder, "catalog"))
		if keep && filepath.Dir(s.Catalog) == s.folder {
			if s.Catalog, err = os.MkdirTemp("", "pubsync-demo-"); err != nil {
				return err
			}
		}
		set["CATALOG_DIR"], set["CATALOG_URL"] = s.Catalog, "http://"+s.admin+"/catalog"
		s.Pages["GET /catalog/"] = http.StripPrefix("/catalog/", http.FileServer(http.Dir(s.Catalog)))
	}
	s.Env = env.With(set)
	return nil
}

// listen takes a free port if the address is taken.
func listen(ctx context.Context, address string) (net.Listener, error) {
	var socket net.ListenConfig
	if l, err := socket.Listen(ctx, "tcp", address); err == nil {
		return l, nil
	}
	return socket.Listen(ctx, "tcp", anyPort)
}

// addressNear returns an address that the worker can listen on.
func addressNear(ctx context.Context, address string) (string, error) {
	l, err := listen(ctx, address)
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// Play runs a worker, with a change every few seconds, until ctx ends.
func (s *Stage) Play(ctx context.Context, stdout io.Writer, work func(context.Context) error) error {
	served := make(chan error, 1)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		defer stop() // the demo ends with the worker
		served <- work(ctx)
	}()
	secrets, _ := s.Env.Values() // the worker tells the faults
	worker := &desk.Client{
		Base: "http://" + s.admin, Token: secrets[config.Prefix+"ADMIN_TOKEN"], HTTP: http.DefaultClient,
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
	s.introduce(stdout)
	var mu sync.Mutex // of stdout
	s.market.Hear(func(event any) {
		done, ok := event.(sandbox.Outcome)
		if !ok {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(stdout, "%s  %s\n", time.Now().Format(time.TimeOnly), say.Harmless(done.Said))
		if done.Do == "remove" { // it sends no webhook, and shows within a second
			_, _ = worker.Run(ctx, desk.RunOptions{Full: true}) //nolint:errcheck // a sweep on the schedule finds it
		}
	})
	s.market.Live(ctx, orderEvery)
	return <-served
}

func (s *Stage) introduce(stdout io.Writer) {
	shop := "that of the adapter " + s.adapter + "; what was published there stays when the demo ends"
	if s.Catalog != "" {
		shop = "http://" + s.admin + "/catalog/\nthe shop's folder   " + s.Catalog
	}
	fmt.Fprintf(stdout, "the status page     http://%s/\nthe shop            %s\n", s.admin, shop)
	fmt.Fprintf(stdout, "Every few seconds something happens at the marketplace; the status page shows what is held. "+
		"In another terminal you decide:\n"+
		"    %[1]s sandbox do --at %[2]s price any x1.1     (%[1]s sandbox do --help)\n"+
		"    PUBSYNC_ADMIN_LISTEN=%[3]s PUBSYNC_STORE_PATH=%[4]s %[1]s approve --all\nCtrl-C ends it.\n",
		say.Program(), s.market.URL, s.admin, s.Store)
}
