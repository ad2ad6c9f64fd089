package probe

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

const (
	warningTimeout = 90 * time.Second // bounds the requests of one question
	warningRetry   = 5 * time.Minute  // after one that the shop did not answer
)

// WatchWarning asks the shop, again and again until ctx ends, what keeps visitors from its
// products.
func (p *Prober) WatchWarning(ctx context.Context) {
	if _, ok := p.o.Shop().(shopadapter.Warner); !ok {
		return
	}
	for ctx.Err() == nil {
		wait := time.Until(p.AskWarning(ctx))
		if wait <= 0 {
			wait = warningRetry
		}
		breaker.Sleep(ctx, wait, nil)
	}
}

// AskWarning asks the shop what keeps visitors from its products, where it is time to, and stores
// the answer. It returns when the shop is to be asked next. A shop that does not answer changes
// nothing: its check says why.
func (p *Prober) AskWarning(ctx context.Context) (next time.Time) {
	warner, ok := p.o.Shop().(shopadapter.Warner)
	if !ok {
		return next
	}
	var last publication.Warning
	if _, err := store.MetaJSON(ctx, p.o.Store, publication.MetaWarning, &last); err != nil {
		p.o.Health.StoreFailed(err)
		return next
	}
	now := time.Now()
	if at := last.Next(now); at.After(now) || p.o.Breaker.Status(now).Open {
		return at
	}
	is := publication.Warning{At: now.UTC()}
	limited, cancel := bounded(ctx, warningTimeout)
	defer cancel()
	if err := p.o.Health.Guard(func() (err error) {
		is.Text, err = warner.Warning(limited)
		return err
	}, "call", "warning"); err != nil {
		return next
	}
	is.Text = p.o.Health.Line(is.Text)
	if is.Text != last.Text && is.Text != "" {
		p.o.Log.Warn("shop accepts products, and visitors do not see them", "reason", is.Text)
	}
	if err := store.SetMetaJSON(ctx, p.o.Store, publication.MetaWarning, is); err != nil {
		p.o.Health.StoreFailed(err)
	}
	return is.Next(now)
}
