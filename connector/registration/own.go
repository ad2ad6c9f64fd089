package registration

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// A Memory keeps facts over a restart. The store is one.
type Memory interface {
	Meta(ctx context.Context, key string) (string, error)
	SetMeta(ctx context.Context, key, value string) error
}

// ownKey is the fact that tells which registrations the worker made, and for which address.
const ownKey = "webhook"

// ownWebhooks are the registrations that workers with this store made. They are known by their ids,
// whatever address the marketplace shows. When the address in the settings changes, they are
// forgotten.
type ownWebhooks struct {
	Address string `json:"address"` // a digest: the address may end in a secret
	Made    []made `json:"made,omitempty"`

	made // the only one, as earlier versions kept it
}

// A made registration is one of the worker's own. Where the marketplace never switched it on, it is
// not made again.
type made struct {
	ID  string `json:"id,omitempty"`
	Off bool   `json:"off,omitempty"`
}

func has(own []made, id string) bool {
	return slices.ContainsFunc(own, func(m made) bool { return m.ID == id })
}

// own keeps the registrations that the worker made for an address.
type own struct {
	memory  Memory
	address string
}

func digestOf(address string) string {
	sum := sha256.Sum256([]byte(address))
	return hex.EncodeToString(sum[:8])
}

// get returns none where there are none for the address.
func (o own) get(ctx context.Context) ([]made, error) {
	var w ownWebhooks
	if ok, err := store.MetaJSON(ctx, o.memory, ownKey, &w); err != nil || !ok || w.Address != digestOf(o.address) {
		return nil, err
	}
	if w.ID != "" {
		w.Made = append(w.Made, w.made)
	}
	return w.Made, nil
}

func (o own) set(ctx context.Context, before []made, listed, fresh []marketplace.Webhook) error {
	w := ownWebhooks{Address: digestOf(o.address)}
	for _, m := range before {
		if slices.ContainsFunc(listed, func(h marketplace.Webhook) bool { return h.ID == m.ID }) {
			w.Made = append(w.Made, m)
		}
	}
	for _, h := range fresh {
		w.Made = append(w.Made, made{ID: h.ID, Off: !h.Active})
	}
	return store.SetMetaJSON(context.WithoutCancel(ctx), o.memory, ownKey, w)
}
