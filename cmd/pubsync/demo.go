package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

const (
	demoRestoreRate = 2000 // points a second: nobody waits
	demoEvery       = 4 * time.Second
	demoPatience    = 8 * time.Second
)

type demoCommand struct {
	Once bool `help:"Import, and end."`
	jsonFlag
}

// Run shows the main job: a marketplace, the worker and a shop in one process, with a store of its own that goes away at the end.
func (d *demoCommand) Run(ctx context.Context, a *app) (err error) {
	if d.JSON && !d.Once {
		return usage("--json goes with --once")
	}
	c, err := loadConfig(a.env, toDemo)
	if err != nil {
		return err
	}
	level := slog.LevelError // what stands rejected belongs to the show
	if a.env.values[envPrefix+"LOG_LEVEL"] != "" {
		level = c.level
	}
	log := a.logger(c, level)
	dir, err := os.MkdirTemp("", "pubsync-demo-")
	if errors.Is(err, os.ErrNotExist) { // an empty root has no folder for temporary files
		dir, err = os.MkdirTemp(".", "pubsync-demo-")
	}
	if err != nil {
		return err
	}
	catalog := a.env.values[adapterVariable("catalog", "DIR")]
	own := catalog == ""
	defer func() { err = errors.Join(err, d.clean(dir, own)) }()
	if own {
		catalog = filepath.Join(dir, "catalog")
	}
	market := sandbox.Start(sandbox.Options{RestoreRate: demoRestoreRate})
	defer market.Close()
	market.AddCatalogue(len(sandbox.Catalogue()))

	listeners, err := demoListeners(ctx, c)
	if err != nil {
		return err
	}
	address := "http://" + listeners.Admin.Addr().String()
	c.demo(dir, catalog, address, market.URL, listeners)
	parts, err := c.assemble(log)
	if err != nil {
		return openError(c, err)
	}
	if d.Once {
		return d.once(ctx, a, c, log, parts, listeners, catalog)
	}
	pages := map[string]connector.Page{"/catalog/": {Handler: http.StripPrefix("/catalog/", http.FileServer(folderWithoutLists{http.Dir(catalog)}))}}
	served := make(chan error, 1)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() { served <- serve(ctx, c, log, parts, listeners, pages) }()
	d.watch(ctx, a, market, address)
	fmt.Fprintf(a.stdout, "the shop            %s/catalog/\nthe status page     %s/\nthe shop's folder   %s\n", address, address, catalog)
	fmt.Fprintln(a.stdout, "Every few seconds a product is added or changes its price. Ctrl-C ends it.")
	d.keepGoing(ctx, a, market)
	stop()
	return <-served
}

// clean takes the demo's store away, and with --once leaves the pages to be looked at.
func (d *demoCommand) clean(dir string, ownCatalog bool) error {
	if d.Once && ownCatalog {
		matches, _ := filepath.Glob(filepath.Join(dir, "demo.db*")) //nolint:errcheck // the pattern is good
		var errs []error
		for _, m := range matches {
			errs = append(errs, os.Remove(m))
		}
		return errors.Join(errs...)
	}
	return os.RemoveAll(dir)
}

// demoListeners opens the admin address, or a free port where that is taken, and one for webhooks.
func demoListeners(ctx context.Context, c *config) (l connector.Listeners, err error) {
	var listen net.ListenConfig
	address := c.AdminListen
	if address == "off" {
		address = "127.0.0.1:0"
	}
	if l.Admin, err = listen.Listen(ctx, "tcp", address); err != nil {
		if l.Admin, err = listen.Listen(ctx, "tcp", "127.0.0.1:0"); err != nil {
			return l, err
		}
	}
	l.Webhook, err = listen.Listen(ctx, "tcp", "127.0.0.1:0")
	return l, err
}

// demo sets what needs no setting here.
func (c *config) demo(dir, catalog, address, market string, l connector.Listeners) {
	c.StorePath = filepath.Join(dir, "demo.db")
	c.MarketplaceURL, c.MarketplaceToken = market, sandbox.DefaultToken
	c.ShopAdapter = "catalog"
	c.adapter = map[string]string{"DIR": catalog, "URL": address + "/catalog"}
	c.WebhookSecret, c.WebhookURL = sandbox.DefaultSecret, "http://"+l.Webhook.Addr().String()+"/webhooks"
	c.WebhookHeaderPrefix = "X-Service"
}

func (d *demoCommand) once(ctx context.Context, a *app, c *config, log *slog.Logger, parts *assembly, l connector.Listeners, catalog string) error {
	if err := errors.Join(l.Admin.Close(), l.Webhook.Close()); err != nil {
		return errors.Join(err, parts.close())
	}
	summary, err := runHere(ctx, c, log, parts, connector.OnceOptions{Patience: demoPatience})
	if err != nil {
		return err
	}
	if err := a.printSummary(summary, d.JSON); err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "the shop's pages: %s\n", filepath.Join(catalog, "index.html"))
	if summary.Exit == connector.ExitMarketplace || summary.Exit == connector.ExitShop || ctx.Err() != nil {
		return &exitError{code: summary.Exit} // what stands rejected or pending belongs to the show
	}
	return nil
}

// watch shows the import's progress until every publication of the start has been looked at.
func (d *demoCommand) watch(ctx context.Context, a *app, market *sandbox.Server, address string) {
	want := len(market.Publications())
	terminal := isTerminal(a.stderr)
	r := &remote{base: address, client: http.DefaultClient, log: slog.New(slog.DiscardHandler)}
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for ctx.Err() == nil {
		var s connector.Status
		if err := r.ask(ctx, "GET", "/api/v1/status", nil, &s); err == nil {
			known := 0
			for _, n := range s.Publications {
				known += n
			}
			done := known - s.Publications[string(connector.StatePending)]
			if terminal {
				fmt.Fprintf(a.stderr, "\rimporting %s %d of %d", bar(done, want), done, want)
			}
			if known >= want && s.Due == 0 && s.Outbox == 0 {
				if terminal {
					fmt.Fprintln(a.stderr)
				}
				fmt.Fprintf(a.stdout, "imported: %s\n", countsLine(s))
				return
			}
		}
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
}

func countsLine(s connector.Status) string {
	var parts []string
	for _, state := range connector.States {
		if n := s.Publications[string(state)]; n > 0 {
			parts = append(parts, strconv.Itoa(n)+" "+string(state))
		}
	}
	return strings.Join(parts, ", ")
}

const barWidth = 30

func bar(done, want int) string {
	full := 0
	if want > 0 {
		full = min(done*barWidth/want, barWidth)
	}
	return strings.Repeat("█", full) + strings.Repeat("░", barWidth-full)
}

// keepGoing adds a product or changes a price every few seconds. Now and then a price doubles, for the brake to hold.
func (d *demoCommand) keepGoing(ctx context.Context, a *app, market *sandbox.Server) {
	ticker := time.NewTicker(demoEvery)
	defer ticker.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if n%2 == 0 {
			ids := market.AddCatalogue(1)
			fmt.Fprintf(a.stdout, "%s  the retailer imports %s\n", time.Now().Format(time.TimeOnly), titleOf(market, ids[0]))
			continue
		}
		percent := int64(90 + rand.IntN(25))
		if n%9 == 7 {
			percent = 220
		}
		if id, old, price, ok := reprice(market, percent); ok {
			fmt.Fprintf(a.stdout, "%s  the supplier changes %s from %s to %s\n", time.Now().Format(time.TimeOnly), titleOf(market, id), old, price)
		}
	}
}

func titleOf(market *sandbox.Server, id string) string {
	p, _ := market.Publication(id)
	if p.Listing == nil || p.Listing.Texts["en"].Title == "" {
		return id
	}
	return plain(p.Listing.Texts["en"].Title)
}

// reprice changes all prices of one publication by a percentage and returns the first variant's.
func reprice(market *sandbox.Server, percent int64) (id, old, price string, ok bool) {
	all := market.Publications()
	p := all[rand.IntN(len(all))]
	if p.Listing == nil || len(p.Listing.Variants) == 0 || p.Listing.Variants[0].MSRP == "" {
		return "", "", "", false
	}
	err := market.Update(p.ID, func(l *sandbox.Listing) {
		for i := range l.Variants {
			v := &l.Variants[i]
			amount, err := decimal.NewFromString(v.MSRP)
			if err != nil {
				continue
			}
			next := amount.Mul(decimal.NewFromInt(percent)).Div(decimal.NewFromInt(100)).StringFixed(2)
			if i == 0 {
				old, price = v.MSRP, next
			}
			v.MSRP = next
		}
	})
	return p.ID, old, price, err == nil && old != ""
}

// folderWithoutLists serves files, and of folders only those with an index.
type folderWithoutLists struct{ fs http.FileSystem }

func (f folderWithoutLists) Open(name string) (http.File, error) {
	file, err := f.fs.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err == nil && info.IsDir() {
		index, err := f.fs.Open(strings.TrimSuffix(name, "/") + "/index.html")
		if err != nil {
			return nil, errors.Join(os.ErrNotExist, file.Close())
		}
		if err := index.Close(); err != nil {
			return nil, err
		}
	}
	return file, nil
}
