package listener

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"strings"
	"sync"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter/quote"
	"github.com/pubsync/pubsync/store"
)

// accountKey is the fact that tells whose webhooks are ours.
const accountKey = "webhook_account"

// An account is the id that the marketplace puts in the headers of our webhooks. One that was learned from a webhook holds as long as the app's secret: a
// new secret may be another app's. One that came with an installation holds until the next installation.
type account struct {
	ID     string `json:"id"`
	Secret string `json:"secret,omitempty"` // a digest of the secret that the webhook was signed with; "" for one of an installation
}

// Accounts tells our webhooks from those of another account that the app serves. Until our account is known, every signed webhook is ours.
type Accounts struct {
	memory store.Facts
	failed func(error) // is told of an error of memory
	log    *slog.Logger

	mu   sync.Mutex
	read bool
	ours account
}

// NewAccounts makes an Accounts. It reads memory when the first webhook arrives.
func NewAccounts(memory store.Facts, failed func(error), log *slog.Logger) *Accounts {
	return &Accounts{memory: memory, failed: failed, log: log}
}

// Ours is the account's id, "" where it is not known. secret is the app's.
func (a *Accounts) Ours(secret string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.get(secret)
}

// get is Ours. The caller holds mu.
func (a *Accounts) get(secret string) string {
	if !a.read {
		if _, err := store.MetaJSON(a.memory, accountKey, &a.ours); err != nil {
			a.failed(err)
			return ""
		}
		a.read = true
	}
	if a.ours.Secret != "" && a.ours.Secret != secretDigest(secret) {
		return ""
	}
	return a.ours.ID
}

// Learn takes the account id of a webhook that named a publication of ours, unless one is known.
func (a *Accounts) Learn(id, secret string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if id == "" || len(id) > publication.MaxIdent || a.get(secret) != "" || !a.read {
		return
	}
	if a.put(account{ID: id, Secret: secretDigest(secret)}) == nil {
		a.log.Info("webhooks of this account are ours, those of others are passed over", "account", quote.Line(id, 100, strings.TrimSpace))
	}
}

// Installed takes the account id that an installation of the app came with.
func (a *Accounts) Installed(id string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.put(account{ID: id})
}

func (a *Accounts) put(ours account) error {
	if err := store.SetMetaJSON(a.memory, accountKey, ours); err != nil {
		a.failed(err)
		return err
	}
	a.ours, a.read = ours, true
	return nil
}

// secretDigest tells one secret from another without being either.
func secretDigest(secret string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(accountKey))
	return hex.EncodeToString(mac.Sum(nil)[:8])
}
