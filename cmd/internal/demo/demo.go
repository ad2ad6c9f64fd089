// Package demo shows pubsync without any configuration: a sandbox marketplace, the worker and a
// shop in one process.
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
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/cmd/internal/setup"
	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter"
)

const (
	// Shop is the adapter of the demo's own shop.
	Shop = "catalog"
	// Listen is where a sandbox is served, and where `sandbox do` finds it.
	Listen = "127.0.0.1:9465"

	restoreRate = 2000            // points a second: nothing waits for the budget
	orderEvery  = 3 * time.Second // between two changes at the marketplace
	sweepEvery  = 5 * time.Second // finds changes that no webhook led to
	patience    = 8 * time.Second // of a demo that imports and ends
)

// AtFlag returns the flag that `sandbox do` needs for a sandbox at this address, "" at the default
// one.
func AtFlag(address string) string {
	if address == "http://"+Listen {
		return ""
	}
	return " --at " + address
}

// A Demo is a marketplace, the worker and a shop, with a store of its own that goes away at the
// end.
type Demo struct {
	*setup.Setup

	Adapter        string // publishes to the shop of this adapter's settings; "": to the demo's own catalogue
	Stdout, Stderr io.Writer
	Log            *slog.Logger
	KeepPages      bool   // Close leaves the catalogue's pages
	Catalog        string // set by Open: folder of the catalogue's pages; "" with another adapter

	market    *sandbox.Server
	listeners connector.Listeners
	parts     *setup.Assembly
	dir       string // of the store, and of the pages where no other is set
	address   string // of the admin listener
}

// Open makes the folder, the marketplace, the listeners and the worker's parts, and sets what needs
// no setting here.
func (s *Demo) Open(ctx context.Context) (err error) {
	s.dir, err = os.MkdirTemp("", "pubsync-demo-")
	if errors.Is(err, os.ErrNotExist) { // an empty root has no folder for temporary files
		s.dir, err = os.MkdirTemp(".", "pubsync-demo-")
	}
	if err != nil {
		return err
	}
	if s.listeners.Admin, err = listenNear(ctx, string(s.AdminListen)); err != nil {
		return err
	}
	s.address = "http://" + s.listeners.Admin.Addr().String()
	at, err := listenNear(ctx, Listen)
	if err != nil {
		return err
	}
	o := sandbox.Options{RestoreRate: restoreRate}
	if s.Adapter == "" {
		o.ChannelURL = s.address // the store that the marketplace feeds, or status warns of another one
	}
	market := sandbox.New(o)
	market.AddCatalogue(len(sandbox.Catalogue()))
	s.market = sandbox.Serve(market, at)
	if s.listeners.Webhook, err = listenNear(ctx, ""); err != nil {
		return err
	}
	if err := s.configure(ctx); err != nil {
		return err
	}
	if s.parts, err = s.Assemble(ctx, s.Log); err != nil {
		return setup.OpenError(s.Setup, err)
	}
	return nil
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

// configure sets the marketplace, its webhooks, and the catalogue unless a shop was named.
func (s *Demo) configure(ctx context.Context) error {
	c, hooks := s.Setup, "http://"+s.listeners.Webhook.Addr().String()+"/webhooks"
	c.UseFile(filepath.Join(s.dir, "demo.db"))
	c.MarketplaceURL, c.MarketplaceToken = shopadapter.URL(s.market.URL), sandbox.DefaultToken
	c.WebhookSecret, c.WebhookPathToken = sandbox.DefaultSecret, rand.Text()
	c.WebhookHeaderPrefix, c.WebhookEvents = "X-Service", connector.DefaultEvents()
	c.OAuthClientID, c.OAuthClientSecret, c.OAuthAuthURL = "", "", ""
	c.SweepSchedule.Schedule, c.ResyncSchedule.Schedule = cron.Every(sweepEvery), cron.Every(sweepEvery)
	c.NeverReread()
	c.NeverAlert()
	s.market.SetChannelWebhook(hooks + "/" + c.WebhookPathToken)
	if s.Adapter == "" {
		s.Catalog = cmp.Or(c.Values[shopadapter.Variable(Shop, "DIR")], filepath.Join(s.dir, "catalog"))
		c.Adapter = map[string]string{"DIR": s.Catalog, "URL": s.address + "/catalog"}
	}
	return c.WebhookURL.EnvDecode(ctx, hooks)
}

// ownPages reports whether the pages go to the demo's own folder.
func (s *Demo) ownPages() bool { return s.Values[shopadapter.Variable(Shop, "DIR")] == "" }

// Close ends the marketplace and removes the demo's store. With KeepPages it leaves the pages to be
// looked at.
func (s *Demo) Close() error {
	if s.market != nil {
		s.market.Close()
	}
	if s.dir == "" || !s.KeepPages || s.Catalog == "" || !s.ownPages() {
		return os.RemoveAll(s.dir)
	}
	matches, _ := filepath.Glob(filepath.Join(s.dir, "demo.db*")) //nolint:errcheck // the pattern is good
	var errs []error
	for _, m := range matches {
		errs = append(errs, os.Remove(m))
	}
	return errors.Join(errs...)
}

// Once imports, and closes the worker's parts.
func (s *Demo) Once(ctx context.Context) (desk.Summary, error) {
	if err := errors.Join(s.listeners.Admin.Close(), s.listeners.Webhook.Close()); err != nil {
		return desk.Summary{}, errors.Join(err, s.parts.Close())
	}
	summary, err := setup.RunOnce(ctx, s.Setup, s.Log, s.parts, desk.RunOptions{Patience: patience})
	if summary.Exit == desk.ExitStanding && ctx.Err() == nil {
		summary.Exit = desk.ExitOK // rejected and pending publications are part of the demo
	}
	return summary, err
}

// Play runs the worker, and has something happen every few seconds, until ctx ends.
func (s *Demo) Play(ctx context.Context) error {
	pages := map[string]http.Handler{}
	if s.Catalog != "" {
		pages["/catalog/"] = http.StripPrefix("/catalog/", files(s.Catalog))
	}
	served := make(chan error, 1)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		defer stop() // the demo ends with the worker
		served <- setup.Serve(ctx, s.Setup, s.Log, s.parts, s.listeners, pages)
	}()
	story := newStory(s)
	story.importing(ctx)
	if s.Catalog != "" {
		fmt.Fprintf(s.Stdout, "the shop            %s/catalog/\n", s.address)
	}
	folder := "the shop's folder   " + s.Catalog
	if s.Catalog == "" {
		folder = "the shop            that of the adapter " + s.Adapter +
			"; what was published there stays when the demo ends"
	}
	fmt.Fprintf(s.Stdout, "the status page     %s/\n%s\n", s.address, folder)
	fmt.Fprintf(s.Stdout, "Every few seconds something happens at the marketplace. In another terminal you decide what:\n"+
		"    %[1]s sandbox do%[2]s price any x1.1     (%[1]s sandbox do --help)\nCtrl-C ends it.\n", say.Program(),
		AtFlag(s.market.URL))
	s.market.OnOrder(func(done sandbox.Outcome) { story.tell(ctx, done) })
	s.market.Live(ctx, orderEvery)
	story.following.Wait()
	return <-served
}

// files serves the files of a folder, and below it the folders that have an index page.
func files(dir string) http.Handler {
	served := http.FileServer(http.Dir(dir))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "" || strings.HasSuffix(r.URL.Path, "/") {
			index := filepath.Join(dir, filepath.FromSlash(path.Clean("/"+r.URL.Path)), "index.html")
			if _, err := os.Stat(index); err != nil {
				http.NotFound(w, r)
				return
			}
		}
		served.ServeHTTP(w, r)
	})
}
