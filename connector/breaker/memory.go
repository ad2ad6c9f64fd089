package breaker

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/store"
)

// A Memory keeps a pause over a restart. The store is one.
type Memory interface {
	Meta(ctx context.Context, key string) (string, error)
	SetMeta(ctx context.Context, key, value string) error
}

// A Pause is a pause that the other side set, as it is kept.
type Pause struct {
	Set    time.Time `json:"set,omitzero"`
	Since  time.Time `json:"since,omitzero"` // of the trouble
	Until  time.Time `json:"until"`
	Reason string    `json:"reason"`
}

// Kept is the pause of a side that a memory holds; ok is false when it is over or there is none.
func Kept(ctx context.Context, m Memory, side Side, now time.Time) (p Pause, ok bool, err error) {
	if ok, err = store.MetaJSON(ctx, m, side.key(), &p); err != nil || !ok {
		return p, false, err
	}
	if p.Since.IsZero() {
		p.Since = p.Set
	}
	return p, p.Until.After(now), nil
}

// Restore opens the breaker for the pause that the memory holds. A pause that was set by a clock
// ahead of this one keeps its length.
func (b *Breaker) Restore(ctx context.Context, now time.Time) error {
	if b.memory == nil {
		return nil
	}
	var p Pause
	ok, err := store.MetaJSON(ctx, b.memory, b.side.key(), &p)
	if err != nil || !ok {
		return err
	}
	if p.Set.After(now) {
		p.Until, p.Set = now.Add(p.Until.Sub(p.Set)), now
		b.remember(ctx, p)
	}
	if p.Until.After(now) {
		b.open(p.Reason, now, p.Until.Sub(now), false)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !p.Since.IsZero() && p.Since.Before(b.since) {
		b.since = p.Since
	}
	return nil
}

// keep writes a pause that the other side set to the memory, unless it is there already.
func (b *Breaker) keep(ctx context.Context, now time.Time) {
	if b.memory == nil {
		return
	}
	b.keeping.Lock()
	defer b.keeping.Unlock()
	if s := b.Status(now); s.Firm && !s.Until.Equal(b.kept) &&
		b.remember(ctx, Pause{Set: now, Since: s.Since, Until: s.Until, Reason: s.Reason}) {
		b.kept = s.Until
	}
}

// forget removes the pause from the memory.
func (b *Breaker) forget(ctx context.Context) {
	if b.memory == nil {
		return
	}
	b.keeping.Lock()
	defer b.keeping.Unlock()
	b.remember(ctx, Pause{})
	b.kept = time.Time{}
}

func (b *Breaker) remember(ctx context.Context, p Pause) bool {
	err := store.SetMetaJSON(context.WithoutCancel(ctx), b.memory, b.side.key(), p)
	if err != nil && b.memoryFailed != nil {
		b.memoryFailed(err)
	}
	return err == nil
}
