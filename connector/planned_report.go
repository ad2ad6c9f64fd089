package connector

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// lookBeforeReports makes due what the light looks show that come before the reports owed now: a
// supplier's change that no list showed, or a removal. Reports that the plan's own looks lead to
// show nothing new.
func (p *planning) lookBeforeReports(ctx context.Context) error {
	var owed []string
	for o, err := range store.Reports(ctx, p.Store) {
		if err != nil {
			return err
		}
		owed = append(owed, o.ID)
	}
	if len(owed) == 0 {
		return nil
	}
	looks, err := p.Marketplace.Look(ctx, marketplace.Urgent, owed, false)
	if err != nil {
		return err
	}
	now := time.Now()
	_, err = store.Update(ctx, p.draft, func(_ *store.Report, s *store.Settlement) bool {
		entry, answered := looks[s.Record.ID]
		return answered && publication.LookedBeforeReport(s, entry, now)
	}, owed...)
	return err
}
