package model

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/connector/engine"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
	"github.com/pubsync/pubsync/store"
)

// A mood is what a shop does to every call.
type mood int

const (
	moodFine   mood = iota
	moodDown        // fails before anything has happened
	moodSilent      // does as it is told, and its answer is lost
	moodPause       // asks for a pause
	moodRefuse      // refuses the credentials
	moods
)

// A moody is a shop in some mood. It writes the groups it is told have changed, and no others.
type moody struct {
	*shoptest.Shop
	m       *machine
	mood    mood
	delay   time.Duration
	blocked map[shopadapter.PublicationID]bool // the merchant has to do something
}

// unsellable marks a title that the shop refuses.
const unsellable = "unsellable"

var errLost = errors.New("the answer is lost")

// enter waits as long as the shop takes, and says what it thinks of the call.
func (s *moody) enter(ctx context.Context) (mood, error) {
	s.m.mu.Lock()
	delay := s.delay
	s.m.calling++
	s.m.mu.Unlock()
	engine.Sleep(ctx, delay)
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	s.m.calling--
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	switch s.mood {
	case moodDown:
		return s.mood, errors.New("no answer")
	case moodPause:
		return s.mood, shopadapter.Retry("too many requests").Everywhere().After(5 * time.Minute)
	case moodRefuse:
		return s.mood, shopadapter.Block("the key is refused").Everywhere()
	default:
		return s.mood, nil
	}
}

func (s *moody) Check(ctx context.Context) (shopadapter.Info, error) {
	_, err := s.enter(ctx)
	return shopadapter.Info{Figures: true}, err
}

func (s *moody) Publish(
	ctx context.Context,
	ref shopadapter.Ref,
	p shopadapter.Product,
	changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	if p.Figures {
		return s.restock(ctx, ref, p, changed)
	}
	s.m.attempts(string(ref.Publication), shopadapter.FiguresOf(p.Variants))
	mood, err := s.enter(ctx)
	if err != nil {
		return shopadapter.Listing{}, err
	}
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	switch {
	case s.blocked[ref.Publication]:
		s.m.refused[string(ref.Publication)] = true
		return shopadapter.Listing{}, shopadapter.Block("a category is missing")
	case strings.Contains(p.Title, unsellable):
		s.m.refused[string(ref.Publication)] = true
		delete(s.m.tried, string(ref.Publication))
		return shopadapter.Listing{}, shopadapter.Reject("nobody may sell this")
	}
	l, err := s.Adapter().Publish(ctx, ref, p, changed)
	switch {
	case err != nil:
		delete(s.m.tried, string(ref.Publication))
		return l, err
	case ref.Listing != "" && ref.Listing != l.ID:
		s.m.breaks(fmt.Sprintf("%s is %s in the shop, and known as %s", ref.Publication, l.ID, ref.Listing))
	case mood == moodSilent:
		return shopadapter.Listing{}, errLost
	}
	s.m.priced(string(ref.Publication), p)
	return l, nil
}

// restock brings figures in line, and asks for the whole product now and then.
func (s *moody) restock(
	ctx context.Context, ref shopadapter.Ref, figured shopadapter.Product, changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	s.m.attempts(string(ref.Publication), shopadapter.FiguresOf(figured.Variants))
	mood, err := s.enter(ctx)
	if err != nil {
		return shopadapter.Listing{}, err
	}
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	old, onSale := s.m.shows(string(ref.Publication))
	p, same := old.Refigured(figured)
	s.m.figured++
	switch {
	case old.ID == "":
		delete(s.m.tried, string(ref.Publication))
		return shopadapter.Listing{}, shopadapter.ErrGone
	case !same || !onSale || s.m.asksForWhole() && s.m.titled(string(ref.Publication)):
		delete(s.m.tried, string(ref.Publication))
		return shopadapter.Listing{}, shopadapter.ErrWhole
	case s.blocked[ref.Publication]:
		s.m.refused[string(ref.Publication)] = true
		return shopadapter.Listing{}, shopadapter.Block("a category is missing")
	}
	if changed&^(shopadapter.FieldPrice|shopadapter.FieldStock) != 0 {
		s.m.breaks(fmt.Sprintf("a restock of %s changes %s", ref.Publication, changed))
	}
	l, err := s.Adapter().Publish(ctx, ref, figured, changed)
	switch {
	case err != nil:
		return l, err
	case mood == moodSilent:
		return shopadapter.Listing{}, errLost
	}
	s.m.priced(string(ref.Publication), p)
	return l, nil
}

// asksForWhole reports whether the shop asks for the whole product in place of figures, as it does
// now and then. It does not where a plan is compared with the run: the run would read the
// publication, and write a change that neither a list nor the plan shows.
func (m *machine) asksForWhole() bool { return m.figured%5 == 0 && !m.planning }

// titled reports whether an entry has a title now: without one the whole product is not written.
func (m *machine) titled(id string) bool {
	p, listed := m.Market.Publication(id)
	return listed && p.Listing != nil && p.Listing.Texts["en"].Title != ""
}

// braked holds the brake to its word: no price moves by more than half from one that the shop shows or may show,
// unless a person said so. It returns the prices of now.
func (m *machine) braked(id, how string, was map[string]string, figures []shopadapter.Figures) map[string]string {
	now := map[string]string{}
	for _, f := range figures {
		now[f.ID] = f.Price
		if was[f.ID] == "" || m.older || m.let[[3]string{id, f.ID, f.Price}] {
			continue
		}
		from, to := decimal.RequireFromString(was[f.ID]), decimal.RequireFromString(f.Price)
		if to.Sub(from).Abs().GreaterThan(from.Div(decimal.NewFromInt(2))) {
			m.breaks(fmt.Sprintf("%s was %s for %s, and then for %s, and nobody approved it", id, how, from, to))
		}
	}
	return now
}

// priced holds what was written to the price last written.
func (m *machine) priced(id string, p shopadapter.Product) {
	m.prices[id] = m.braked(id, "written", m.prices[id], shopadapter.FiguresOf(p.Variants))
	delete(m.tried, id)
	delete(m.refused, id)
}

// attempts holds what is sent to a price that was sent and of which nothing was heard since.
func (m *machine) attempts(id string, figures []shopadapter.Figures) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tried[id] = m.braked(id, "sent", m.tried[id], figures)
}

func (s *moody) Unpublish(ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal) (string, error) {
	mood, err := s.enter(ctx)
	if err != nil {
		return "", err
	}
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	if how != shopadapter.TakeOffline || !s.refuses(ref.Publication) { // else an earlier version may sell wrong
		s.m.withdrawn(ctx, string(ref.Publication))
	}
	delete(s.m.tried, string(ref.Publication))
	s.m.out[string(ref.Publication)] = time.Now()
	if _, err := s.Adapter().Unpublish(ctx, ref, how); err != nil || mood != moodSilent {
		return "", err
	}
	return "", errLost
}

// refuses reports whether the shop, or the rules, took nothing of what was read of a publication, or would take nothing
// of what the marketplace shows of it now.
func (s *moody) refuses(id shopadapter.PublicationID) bool {
	if s.m.refused[string(id)] || s.m.unfit[string(id)] {
		return true
	}
	p, ok := s.m.Market.Publication(string(id))
	if !ok || p.Listing == nil {
		return false
	}
	title := p.Listing.Texts["en"].Title
	return s.blocked[id] || title == "" || isUnsellable(p.Listing) || strings.Contains(title, unsellable)
}

// withdrawn holds a removal to what was read just before it, and to the brake.
func (m *machine) withdrawn(ctx context.Context, id string) {
	rec := m.of(ctx, id)
	// what a call may have left whose end nobody saw is taken out whatever is listed
	if rec.Sale != store.OnSale || m.gone[id] || m.shown[id] && rec.Removal.Go {
		return
	}
	if m.shown[id] {
		m.breaks(id + " is taken out of sale, and the marketplace said that it is listed")
	}
	others := 0
	for r, err := range store.Records(ctx, m.Store, store.Query{}) {
		if err == nil && r.Sale == store.OnSale && r.ID != id {
			others++
		}
	}
	if others == 0 && !m.older {
		m.breaks(id + ", the last on sale, is taken out of it, and nobody approved that")
	}
}

// List tells no more than what is on sale.
func (s *moody) List(ctx context.Context, q shopadapter.Query) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) {
		if !s.m.Lists || q.Refs != nil {
			yield(shopadapter.Listed{}, shopadapter.ErrNoList)
			return
		}
		if _, err := s.enter(ctx); err != nil {
			yield(shopadapter.Listed{}, err)
			return
		}
		for l, err := range s.Adapter().List(ctx, q) {
			l.Listing = shopadapter.Listing{ID: l.ID, URL: l.URL, OnSale: l.OnSale, Images: -1}
			if !yield(l, err) {
				return
			}
		}
	}
}

// shows is what the shop has of a publication, and whether it is on sale.
func (m *machine) shows(id string) (shopadapter.Product, bool) {
	p, _ := m.Shop.Get(id)
	return p.Product, p.OnSale
}

// writes are the calls that the shop has carried out.
func (m *machine) writes() []shoptest.Call {
	return m.Shop.Calls(shoptest.Publish, shoptest.Figures, shoptest.Remove)
}
