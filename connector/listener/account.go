package listener

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter/quote"
	"github.com/pubsync/pubsync/store"
)

// accountKey is the fact of the store that holds Ours.
const accountKey = "webhook_account"

// Ours is the ids of our account at the marketplace. The id in the headers of webhooks may differ
// from that of the installation.
type Ours struct {
	Installed string `json:"installed,omitempty"` // of the last installation
	Learned   string `json:"learned,omitempty"`   // in the last signed webhook that named a publication of ours
	// a digest of the secret that signed that webhook: another secret may be another app's
	Secret string `json:"secret,omitempty"`
}

// OursIn is the Ours that a store keeps.
func OursIn(ctx context.Context, memory store.Facts) (o Ours, err error) {
	_, err = store.MetaJSON(ctx, memory, accountKey, &o)
	return o, err
}

// under is o for an app's secret: under another one than before, nothing is learned yet.
func (o Ours) under(secret string) Ours {
	if o.Secret != secretDigest(secret) {
		o.Learned, o.Secret = "", ""
	}
	return o
}

// Accounts tells our webhooks from those of another account that the app serves. Until the id in
// the headers of ours is known, every signed webhook is ours.
type Accounts struct {
	memory store.Facts
	failed func(error) // is called with an error of memory
	log    *slog.Logger
	told   health.LogLimiter

	ours    atomic.Pointer[Ours] // nil: memory was not read yet
	writing *semaphore.Weighted  // of 1: one write to memory at a time
}

// NewAccounts makes an Accounts. It reads memory when the first webhook arrives.
func NewAccounts(memory store.Facts, failed func(error), log *slog.Logger) *Accounts {
	return &Accounts{memory: memory, failed: failed, log: log, writing: semaphore.NewWeighted(1)}
}

// Ours is the ids of our account. secret is the app's.
func (a *Accounts) Ours(ctx context.Context, secret string) Ours {
	ours, _ := a.get(ctx)
	return ours.under(secret)
}

// get is what memory holds, which is read once. ok is false where it cannot be read.
func (a *Accounts) get(ctx context.Context) (ours Ours, ok bool) {
	if known := a.ours.Load(); known != nil {
		return *known, true
	}
	read, err := OursIn(context.WithoutCancel(ctx), a.memory)
	if err != nil {
		a.failed(err)
		return Ours{}, false
	}
	a.ours.CompareAndSwap(nil, &read) // of its own: the result is written to again at the return
	return *a.ours.Load(), true
}

// mayBe reports whether a signed webhook with this id may be ours.
func (o Ours) mayBe(id string) bool {
	return id == "" || o.Learned == "" || id == o.Learned || id == o.Installed
}

// Learn records the account id of a signed webhook that named a publication of ours. It replaces
// the one learned before. Where another id is being written, the next webhook is learned from.
func (a *Accounts) Learn(ctx context.Context, id, secret string) {
	if !a.writing.TryAcquire(1) {
		return
	}
	defer a.writing.Release(1)
	next, ok := a.get(ctx)
	if !ok || id == "" || len(id) > publication.MaxIdent || next.under(secret).Learned == id {
		return
	}
	next.Learned, next.Secret = id, secretDigest(secret)
	if a.put(ctx, next) != nil {
		return
	}
	if untold, ok := a.told.Allow(time.Now()); ok {
		a.log.Info(
			"webhooks of this account are ours, those of others are passed over",
			"account", line(id), "installed_as", line(next.Installed), "untold", untold,
		)
	}
}

// Installed records the account id of an installation. The one in headers is learned anew.
func (a *Accounts) Installed(ctx context.Context, id string) error {
	if err := a.writing.Acquire(ctx, 1); err != nil {
		return err
	}
	defer a.writing.Release(1)
	return a.put(ctx, Ours{Installed: id})
}

// put writes to memory. The caller holds writing.
func (a *Accounts) put(ctx context.Context, ours Ours) error {
	if err := store.SetMetaJSON(context.WithoutCancel(ctx), a.memory, accountKey, ours); err != nil {
		a.failed(err)
		return err
	}
	a.ours.Store(&ours)
	return nil
}

// line is a text of a header as one bounded line.
func line(text string) string { return quote.Line(text, 100, strings.TrimSpace) }

// secretDigest tells secrets apart without showing them.
func secretDigest(secret string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(accountKey))
	return hex.EncodeToString(mac.Sum(nil)[:8])
}
