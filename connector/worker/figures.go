package worker

import (
	"context"
	"errors"
	"maps"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// leastBacklog is the least number of looks that are a backlog: fewer are read in full within
// seconds.
const leastBacklog = 20

// soon is how long a change may wait for points and be read in full all the same.
const soon = 3 * time.Second

// mostBatch bounds the marks that are claimed for one reading of figures.
const mostBatch = 10

// Changes are the classes of what changed upstream.
const Changes store.ClassSet = 1<<store.ClassHook | 1<<store.ClassSweep | 1<<store.ClassHint

// PaidSoon is how many looks at changes may be due and be no backlog: the marketplace's bucket pays
// for them in full soon, or they are few.
func PaidSoon(ctx context.Context, market *marketplace.Reader) (most int, err error) {
	cost, err := market.ReadingCost(ctx)
	if err != nil {
		return 0, err
	}
	b := market.Budget()
	pays := (max(b.Remaining-market.Headroom(), 0) + b.RestoreRate*soon.Seconds()) / max(cost, 1)
	return max(int(min(pays, 1e6)), leastBacklog-1), nil
}

// backlogged reports whether more looks at changes are due than the marketplace's bucket pays for
// in full soon. Once that is so it stays so until none is due: what is left at the end would else
// be read in full before its prices and stock are right. Where it is so, a look by figures has
// begun.
func (w *Worker) backlogged(ctx context.Context, now time.Time) bool {
	w.mu.Lock()
	claimed, was := maps.Clone(w.claimed), w.backlog
	w.mu.Unlock()
	most := 0
	if w.scarce != nil && w.scarce() {
		was = true
	}
	if !was {
		paid, err := PaidSoon(ctx, w.market)
		if err != nil {
			return false
		}
		most = paid
	}
	due, _, err := w.dueBy(ctx, laneAny, Changes, claimed, now, most+1)
	if err != nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.backlog = len(due) > most
	if !w.backlog && !was {
		return false
	}
	w.figuring++
	return true
}

// figuresFirst reports whether the figures of a backlog are being read and written. Full runs,
// rests and refreshes wait for them. It is called with w.mu held.
func (w *Worker) figuresFirst() bool {
	if w.figuring > 0 {
		return true
	}
	for _, class := range w.claimed {
		if w.backlog && Changes.Has(class) {
			return true
		}
	}
	return false
}

// byFigures reports whether a look begins with the figures; then lookByFigures is to follow.
func (w *Worker) byFigures(ctx context.Context, m store.Mark, r store.Record, now time.Time) bool {
	return publication.ByFigures(r, m, now) && w.market.FiguresFit(len(r.Variants)) &&
		shopadapter.RestockerOf(ctx, w.shop()) != nil && w.backlogged(ctx, now)
}

// A claimedLook is a mark that this worker works on, and how many variants its publication had
// last.
type claimedLook struct {
	mark     store.Mark
	variants int
}

// lookByFigures reads the figures of the publication whose mark is claimed, and of others that are
// due, in one request, and looks at each of them.
func (w *Worker) lookByFigures(ctx, work context.Context, l, from lane, first claimedLook) {
	defer w.recovered(ctx, first.mark)
	defer w.figuresDone(ctx)
	batch := append([]claimedLook{first}, w.claimFigures(ctx, l, first.mark)...)
	defer func() { w.giveBack(ctx, batch) }()
	n, err := w.market.FitFigures(ctx, expected(batch))
	if err != nil {
		w.unreadable(work, batch, err)
		batch = nil
		return
	}
	w.giveBack(ctx, batch[n:])
	batch = batch[:n]
	adm, err := w.market.AdmitFigures(ctx, from.priority(first.mark.Class), expected(batch))
	if err != nil {
		w.unreadable(work, batch, err)
		batch = nil
		return
	}
	defer adm.Release()
	if w.outrun(ctx, from.before(first.mark.Class), nil) {
		return
	}
	var cost marketplace.Meter
	asked := time.Now()
	for _, c := range batch {
		w.gaps.Begin(c.mark, asked)
	}
	seen, err := w.market.Figures(marketplace.Metered(work, &cost), adm, expected(batch))
	w.rests.spent(cost.Points(), false, time.Now())
	if first.mark.Class == store.ClassHint {
		w.hints.Spend(cost.Points(), w.market.Budget().RestoreRate, time.Now())
	}
	if err != nil {
		w.unreadable(work, batch, err)
		batch = nil
		return
	}
	w.marketBreaker.Succeed(time.Now())
	for len(batch) > 0 && work.Err() == nil {
		c := batch[0]
		if len(batch) < n && w.outrun(ctx, store.ClassesOf(store.ClassAsked), batch) {
			return // a person has named one, and does not wait for the others
		}
		if !w.shopBreaker.Status(time.Now()).Open { // else it is looked at when the shop is back
			figures, shown := seen[c.mark.ID]
			w.lookAtFigures(work, c, figures, shown, asked)
			w.metrics.Looked(time.Since(asked))
		}
		batch = batch[1:]
		w.unclaim(ctx, c.mark)
	}
}

// figuresDone ends a look by figures.
func (w *Worker) figuresDone(ctx context.Context) {
	w.mu.Lock()
	w.figuring--
	w.mu.Unlock()
	w.endBacklog(ctx)
	w.due.Raise()
}

// endBacklog ends the backlog once no change is due and no look by figures is under way: with the
// last look, whether by figures or in full.
func (w *Worker) endBacklog(ctx context.Context) {
	due, _, err := w.dueBy(ctx, laneAny, Changes, nil, time.Now(), 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.figuring == 0 && err == nil && len(due) == 0 {
		w.backlog = false
	}
}

// giveBack ends claims whose looks have not been made. They stay part of the backlog, though none
// other is due.
func (w *Worker) giveBack(ctx context.Context, batch []claimedLook) {
	if len(batch) > 0 {
		w.mu.Lock()
		w.backlog = true
		w.mu.Unlock()
	}
	for _, c := range batch {
		w.unclaim(ctx, c.mark)
	}
}

// expected is what is to be asked for of some looks.
func expected(batch []claimedLook) []marketplace.Expected {
	of := make([]marketplace.Expected, len(batch))
	for i, c := range batch {
		of[i] = marketplace.Expected{ID: c.mark.ID, Variants: c.variants}
	}
	return of
}

// claimFigures claims further marks whose looks begin with the figures. A look that a hint pays for
// is made alone, and so is one in the urgent lane: no other stands before what comes there.
func (w *Worker) claimFigures(ctx context.Context, l lane, first store.Mark) (batch []claimedLook) {
	if first.Class == store.ClassHint || l == laneUrgent {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	due, _, err := w.dueBy(ctx, l, store.ClassesOf(first.Class), w.claimed, now, mostBatch)
	if err != nil {
		return nil
	}
	for _, m := range due {
		reported := w.reports.UnderWay(m.ID) // asked first, as for a look in full
		e, err := w.store.Get(ctx, m.ID)
		if err != nil || len(batch) == mostBatch-1 {
			break
		}
		r := e.Record
		fit := w.market.FiguresFit(len(r.Variants)) && publication.ByFigures(r, m, now) &&
			!publication.Needless(m, r) &&
			!publication.Figured(m, r)
		if _, claimed := w.claimed[m.ID]; claimed || !fit || reported != nil || !w.gaps.PutOff(m, now).IsZero() {
			continue // it is claimed alone
		}
		w.claimed[m.ID] = m.Class
		batch = append(batch, claimedLook{m, len(r.Variants)})
	}
	return batch
}

// outrun reports whether a mark of the classes is due now. A mark that another look has claimed
// does not count, one of the batch does.
func (w *Worker) outrun(ctx context.Context, classes store.ClassSet, batch []claimedLook) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	claimed := maps.Clone(w.claimed)
	for _, c := range batch {
		delete(claimed, c.mark.ID)
	}
	due, _, err := w.dueBy(ctx, laneAny, classes, claimed, time.Now(), 1)
	return err == nil && len(due) > 0
}

// unreadable deals with a reading of figures that failed, and ends its claims: where another try
// would fail too, each publication is read in full.
func (w *Worker) unreadable(ctx context.Context, batch []claimedLook, err error) {
	for _, c := range batch {
		if marketplace.KindOf(err) == marketplace.Invalid {
			w.reread(ctx, c.mark)
		} else {
			w.notRead(ctx, c.mark, err)
		}
		w.unclaim(ctx, c.mark)
	}
}

// lookAtFigures brings the shop in line with the figures of one publication, or with the whole of
// it where they do not do.
func (w *Worker) lookAtFigures(
	ctx context.Context,
	c claimedLook,
	seen marketplace.Figures,
	shown bool,
	asked time.Time,
) {
	defer w.recovered(ctx, c.mark)
	// the points may have been long in coming, and others of the batch long in being written
	e, err := w.store.Get(ctx, c.mark.ID)
	if err != nil {
		w.health.StoreFailed(err)
		return
	}
	d, ok := w.decider.DecideFigures(e.Record, c.mark, seen, asked)
	if !shown || !ok {
		w.reread(ctx, c.mark)
		return
	}
	w.misread.forget(c.mark.ID)
	again := w.awaited.judge(c.mark.ID, &marketplace.Publication{ID: c.mark.ID, UpdatedAt: seen.UpdatedAt}, time.Now())
	switch d, next := w.carryOut(ctx, c.mark, d, asked); next {
	case toReread:
		w.reread(ctx, c.mark)
		return
	case toSettle:
		w.settle(ctx, c.mark, d, time.Now())
	}
	w.lookAgain(ctx, c.mark.ID, again)
}

// reread reads in full what the figures were not enough for.
func (w *Worker) reread(ctx context.Context, m store.Mark) {
	adm, err := w.market.Admit(ctx, priorityOf(m.Class))
	if err != nil {
		w.notRead(ctx, m, err)
		return
	}
	defer adm.Release()
	defer w.recovered(ctx, m)
	w.reconcile(ctx, m, adm)
}

// restock writes the figures of a product's variants to the shop.
func (w *Worker) restock(ctx context.Context, id string, d publication.Decision) publication.Outcome {
	figures, whole := shopadapter.FiguresOf(d.Product.Variants), false
	o := w.send(ctx, id, func(ctx context.Context) (shopadapter.Listing, error) {
		shop, ok := w.shop().(shopadapter.Restocker)
		if !ok { // its credentials were read again, and it is another
			whole = true
			return shopadapter.Listing{}, nil
		}
		l, err := shop.Restock(ctx, d.Ref(), figures, d.Changed)
		if whole = errors.Is(err, shopadapter.ErrWhole); whole {
			return shopadapter.Listing{}, nil // nothing is wrong with the shop
		}
		return l, err
	})
	if whole {
		o.Err = shopadapter.ErrWhole
	}
	return o
}

// undo takes back the attempt of a call for which the shop needs the whole product.
func (w *Worker) undo(ctx context.Context, id string, d publication.Decision) {
	ctx = context.WithoutCancel(ctx)
	if _, err := store.Update(ctx, w.store, func(_ *store.Report, s *store.Settlement) bool {
		d.Undo(&s.Record)
		return true
	}, id); err != nil {
		w.health.StoreFailed(err)
	}
}
