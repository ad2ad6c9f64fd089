package registration

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// A Memory keeps facts over a restart. The store is one.
type Memory interface {
	Meta(key string) (string, error)
	SetMeta(key, value string) error
}

// ownKey is the fact that tells which registration the worker made, and for which address.
const ownKey = "webhook"

// An ownWebhook is the registration that a worker with this store made. Its id tells it from others, under whatever address the marketplace shows it. One
// that the marketplace made and never switched on is not made again. Another address in the settings ends it, and so does the next registration.
type ownWebhook struct {
	ID      string `json:"id"`
	Address string `json:"address"` // a digest: the address may end in a secret
	Off     bool   `json:"off,omitempty"`
}

// own keeps the registration that the worker made for an address.
type own struct {
	memory  Memory
	address string
}

func digestOf(address string) string {
	sum := sha256.Sum256([]byte(address))
	return hex.EncodeToString(sum[:8])
}

// get returns the zero registration where there is none for the address.
func (o own) get() (w ownWebhook, err error) {
	if ok, err := store.MetaJSON(o.memory, ownKey, &w); err != nil || !ok || w.Address != digestOf(o.address) {
		return ownWebhook{}, err
	}
	return w, nil
}

func (o own) set(h marketplace.Webhook) error {
	return store.SetMetaJSON(o.memory, ownKey, ownWebhook{ID: h.ID, Address: digestOf(o.address), Off: !h.Active})
}
