package dry

import (
	"context"
	"sync"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// Looker makes light looks at the marketplace.
type Looker interface {
	Look(
		ctx context.Context, p marketplace.Priority, ids []string, detail bool,
	) (map[string]*marketplace.Entry, error)
}

// A Market accepts every report, and sends none to the real marketplace. Where a report was owed
// before the plan, the light look before it is made: it may show a supplier's change that no list
// shows, or that the publication is gone. A report of the plan's own follows a reading, and a look
// would show no more.
type Market struct {
	*marketplace.Reader

	real    Looker
	base    store.Store // without what the plan writes
	overlay store.Store

	mu     sync.Mutex
	looked map[string]*marketplace.Entry // what looks showed; no report moves it
}

// NewMarket makes a marketplace that accepts every report, for a plan on an overlay over base.
func NewMarket(real *marketplace.Reader, base, overlay store.Store) *Market {
	return &Market{Reader: real, real: real, base: base, overlay: overlay, looked: map[string]*marketplace.Entry{}}
}

// LookAndReport accepts the reports for which choose says so. None moves the updatedAt that the look
// showed.
func (m *Market) LookAndReport(
	ctx context.Context, p marketplace.Priority, reports []marketplace.Report,
	choose func(r marketplace.Report, look *marketplace.Entry) bool,
) ([]marketplace.Result, error) {
	ids := make([]string, len(reports))
	for i, r := range reports {
		ids[i] = r.ID
	}
	looks, err := m.Look(ctx, p, ids, false)
	if err != nil {
		return nil, err
	}
	var results []marketplace.Result
	for _, r := range reports {
		if choose(r, looks[r.ID]) {
			results = append(results, marketplace.Result{ID: r.ID, Status: r.Status, UpdatedAt: looks[r.ID].UpdatedAt})
		}
	}
	return results, nil
}

// Look asks the real marketplace once about each publication with a report owed before the plan.
// For the others, and for those that the marketplace cannot show, it answers with what the plan
// knows.
func (m *Market) Look(
	ctx context.Context, p marketplace.Priority, ids []string, detail bool,
) (map[string]*marketplace.Entry, error) {
	looks, ask, err := m.known(ctx, ids)
	if err != nil || len(ask) == 0 {
		return looks, err
	}
	seen, err := m.real.Look(ctx, p, ask, detail)
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, e := range seen {
		if e == nil || e.Err == nil {
			looks[id] = e
		}
		m.looked[id] = looks[id]
	}
	return looks, err
}

// known is what the plan knows of publications, and the ids to ask the marketplace about.
func (m *Market) known(
	ctx context.Context, ids []string,
) (looks map[string]*marketplace.Entry, ask []string, err error) {
	looks = make(map[string]*marketplace.Entry, len(ids))
	for _, id := range ids {
		now, err := m.overlay.Get(ctx, id)
		if err != nil {
			return nil, nil, err
		}
		before, err := m.base.Get(ctx, id)
		if err != nil {
			return nil, nil, err
		}
		m.mu.Lock()
		e, looked := m.looked[id]
		m.mu.Unlock()
		if !looked {
			e = &marketplace.Entry{ID: id, UpdatedAt: now.Record.UpdatedAt}
		}
		if looks[id] = e; !looked && before.Owed != nil {
			ask = append(ask, id)
		}
	}
	return looks, ask, nil
}
