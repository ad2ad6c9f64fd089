package story_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/engine"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/story"
	_ "github.com/pubsync/pubsync/shopadapter/http" // an adapter for the settings; the shop is another
	"github.com/pubsync/pubsync/shopadapter/shoptest"
	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/bolt"
	_ "github.com/pubsync/pubsync/store/postgrestest"
)

func init() { debug.SetGCPercent(400) } // marketplaces in memory allocate much and hold little

// The stories are played on the engine, in virtual time. Those of very many products, which are marked, are left out
// with -short.
func TestStories(t *testing.T) {
	long := story.Files(t, "../testdata", "# long")
	for _, file := range story.Files(t, "../testdata", "") {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".story"), func(t *testing.T) {
			t.Parallel()
			if testing.Short() && slices.Contains(long, file) {
				t.Skip("not with -short: it is of very many products, or of a long time")
			}
			synctest.Test(t, func(t *testing.T) {
				e := newEngine(t)
				story.Play(t, file, story.World{Market: e.market, Shop: e.shop, Subject: e})
			})
		})
	}
}

// A subject is a connector in this process, between a sandbox and a shop in memory.
type subject struct {
	t      *testing.T
	market *sandbox.Marketplace
	shop   *shoptest.Shop
	set    map[string]string
	path   string
	store  store.Store
	saved  []byte

	worker *connector.Connector // that runs
	stop   func()
}

func newEngine(t *testing.T) *subject {
	e := &subject{
		t: t, market: sandbox.New(sandbox.Options{}), shop: shoptest.New(shoptest.Abilities{}),
		path: filepath.Join(t.TempDir(), "pubsync.db"),
		set: map[string]string{
			"MARKETPLACE_URL": "http://marketplace.example", "MARKETPLACE_TOKEN": sandbox.DefaultToken,
			"SHOP_ADAPTER": "http", "HTTP_URL": "http://shop.example",
			"STORE_PATH": filepath.Join(t.TempDir(), "pubsync.db"), "WEBHOOK_SECRET": "a shared secret",
			"WEBHOOK_PATH_TOKEN": "path0token", "WEBHOOK_LISTEN": "127.0.0.1:0", "ADMIN_LISTEN": "off",
		},
	}
	e.open()
	t.Cleanup(e.close)
	return e
}

func (e *subject) open() {
	var err error
	if e.store, err = bolt.Open(e.path); err != nil {
		e.t.Fatal(err)
	}
}

func (e *subject) close() {
	if e.worker != nil {
		e.Stop()
	}
	if err := e.store.Close(); err != nil {
		e.t.Error(err)
	}
	e.market.Close()
}

// Set implements story.Subject.
func (e *subject) Set(name, value string) { e.set[name] = value }

// connector makes a connector by the settings.
func (e *subject) connector() *connector.Connector {
	e.t.Helper()
	var env []string
	for name, value := range e.set {
		env = append(env, config.Prefix+name+"="+value)
	}
	read := config.Read(env, nil)
	c, faults := config.Load(read, config.ToRun)
	if len(faults) > 0 {
		e.t.Fatal(faults)
	}
	log := slog.New(slog.DiscardHandler)
	if testing.Verbose() {
		log = slog.New(slog.NewTextHandler(e.t.Output(), nil))
	}
	return connector.New(connector.Options{
		Options: engine.Options{
			Settings: c.Publication, RuleSet: c.Figures,
			Store: e.store, Shop: e.shop.Adapter(), ShopName: "memory", Logger: log,
			Redact:      strings.NewReplacer(sandbox.DefaultToken, "[secret]").Replace,
			Concurrency: c.ShopConcurrency,
			Sweep:       c.SweepSchedule.Schedule, Resync: c.ResyncSchedule.Schedule, Variants: c.SweepVariants,
		},
		Marketplace: marketplace.New(marketplace.Config{
			URL: string(c.MarketplaceURL), Token: c.MarketplaceToken, Languages: c.Publication.Languages, Logger: log,
			Transport: e.market.Transport(), Details: c.Publication.Details,
			Pictures: marketplace.Picture{Method: cmp.Or(c.ImageMethod, marketplace.Uncropped), Size: c.ImageSize},
			Forms:    c.Forms,
		}),
		WebhookSecret: c.WebhookSecret, WebhookPathToken: c.WebhookPathToken,
		WebhookPrefix: c.WebhookHeaderPrefix, WebhookURL: c.WebhookURL, WebhookEvents: c.WebhookEvents,
	})
}

// Run implements story.Subject: a second after whatever was before.
func (e *subject) Run(full bool, patience time.Duration) desk.Summary {
	time.Sleep(time.Second)
	if e.worker != nil {
		s, err := e.worker.Desk().Worker.Run(e.t.Context(), desk.RunOptions{Full: full, Patience: patience, Wait: true})
		if err != nil {
			e.t.Fatal(err)
		}
		return s
	}
	s, err := e.connector().Once(e.t.Context(), desk.RunOptions{Full: full, Patience: patience})
	if err != nil && s.Exit == 0 {
		e.t.Fatalf("exit 0 and %v", err)
	}
	return s
}

// Plan implements story.Subject.
func (e *subject) Plan(full bool) desk.Plan {
	p, err := e.connector().Plan(e.t.Context(), desk.RunOptions{Full: full, Patience: desk.DefaultPatience})
	if err != nil || p.Error != "" && p.Exit == 0 {
		e.t.Fatalf("exit %d and %q, %v", p.Exit, p.Error, err)
	}
	return p
}

// Start implements story.Subject.
func (e *subject) Start() {
	ctx, cancel := context.WithCancel(e.t.Context())
	e.worker = e.connector()
	done := make(chan error)
	go func() { done <- e.worker.Run(ctx, &connector.Listeners{}) }()
	e.stop = func() {
		cancel()
		if err := <-done; err != nil {
			e.t.Error(err)
		}
	}
	synctest.Wait()
}

// Stop implements story.Subject.
func (e *subject) Stop() {
	e.stop()
	e.worker, e.stop = nil, nil
}

// Wait implements story.Subject.
func (e *subject) Wait(span time.Duration) {
	time.Sleep(span)
	synctest.Wait()
}

func (e *subject) desk() *desk.Local {
	if e.worker != nil {
		return e.worker.Desk()
	}
	return e.connector().Desk()
}

// Explain implements story.Subject.
func (e *subject) Explain(id string) (desk.Explanation, error) {
	return e.desk().Explain(e.t.Context(), id)
}

// Status implements story.Subject.
func (e *subject) Status() (any, error) { return e.desk().Status(e.t.Context()) }

// Answer implements story.Subject.
func (e *subject) Answer(decline bool, ids []string, kind string) error {
	asked, err := e.desk().Ask(e.t.Context(), desk.Request{
		By: e.set["ACTOR"], Decline: decline, IDs: ids, Kind: kind, All: true,
	})
	if err == nil && asked.Count == 0 {
		err = errors.New("nothing is held")
	}
	return err
}

// Retry implements story.Subject.
func (e *subject) Retry(ids []string, reset bool) error {
	asked, err := e.desk().Ask(e.t.Context(), desk.Request{Retry: true, IDs: ids, Reset: reset, Failed: len(ids) == 0})
	if err == nil && len(asked.Unknown) > 0 {
		err = desk.ErrUnknown
	}
	return err
}

// Webhook implements story.Subject.
func (e *subject) Webhook(body string, signed bool) int {
	c := e.worker
	if c == nil {
		c = e.connector()
	}
	r := httptest.NewRequest(http.MethodPost, "/webhooks", strings.NewReader(body))
	if signed {
		r.Header.Set("X-Service-Signature", signature(e.set["WEBHOOK_SECRET"], body))
	} else {
		r.URL.Path += "/" + e.set["WEBHOOK_PATH_TOKEN"]
	}
	w := httptest.NewRecorder()
	c.WebhookHandler().ServeHTTP(w, r)
	return w.Code
}

func signature(secret, body string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	return hex.EncodeToString(mac.Sum(nil))
}

// Lose implements story.Subject.
func (e *subject) Lose() {
	if err := e.store.Close(); err != nil {
		e.t.Fatal(err)
	}
	if err := os.Remove(e.path); err != nil {
		e.t.Fatal(err)
	}
	e.open()
}

// Save implements story.Subject.
func (e *subject) Save() {
	var copied bytes.Buffer
	if err := e.desk().Backup(e.t.Context(), io.Writer(&copied)); err != nil {
		e.t.Fatal(err)
	}
	e.saved = copied.Bytes()
}

// PutBack implements story.Subject.
func (e *subject) PutBack() {
	if err := e.store.Close(); err != nil {
		e.t.Fatal(err)
	}
	if err := os.WriteFile(e.path, e.saved, 0o600); err != nil {
		e.t.Fatal(err)
	}
	e.open()
	if err := e.store.SetMeta(e.t.Context(), engine.MetaCopied, "2026-11-01T08:00:00Z"); err != nil {
		e.t.Fatal(err)
	}
}
