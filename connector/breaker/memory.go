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
	if p, kept := b.firmPause(now); !p.Until.IsZero() && !p.Until.Equal(kept) {
		b.write(ctx, p, now)
	}
}

// forget removes the pause from the memory.
func (b *Breaker) forget(ctx context.Context) {
	if b.memory != nil {
		b.write(ctx, Pause{}, time.Now())
	}
}

// write has the memory hold a pause. Several goroutines may write at once and in any order. So each
// writes again where the pause is another one after its write: the last write is of the last pause.
func (b *Breaker) write(ctx context.Context, p Pause, now time.Time) {
	for b.remember(ctx, p) {
		b.mu.Lock()
		b.kept = p.Until
		b.mu.Unlock()
		last, _ := b.firmPause(now)
		if last.Until.Equal(p.Until) {
			return
		}
		p = last
	}
}

// firmPause is the pause that the other side set last, zero where it has ended, and the end of the
// one that the memory holds.
func (b *Breaker) firmPause(now time.Time) (p Pause, kept time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.firm {
		return p, b.kept
	}
	return Pause{Set: now, Since: b.since, Until: b.until, Reason: b.reason}, b.kept
}

func (b *Breaker) remember(ctx context.Context, p Pause) bool {
	err := store.SetMetaJSON(context.WithoutCancel(ctx), b.memory, b.side.key(), p)
	if err != nil && b.memoryFailed != nil {
		b.memoryFailed(err)
	}
	return err == nil
}
