package model

import (
	"context"
	"fmt"
	"time"

	"pgregory.net/rapid"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// An edit is what a supplier does to a listing.
type edit struct {
	what string
	n    int
}

// drawEdit is some change of content.
var drawEdit = rapid.Custom(func(t *rapid.T) edit {
	return edit{
		rapid.SampledFrom([]string{
			"stock", "stock", "price", "price", "price too far", "title", "title", unsellable, "no title", "description",
			"variant more", "variants fewer", "policy",
		}).Draw(t, "what"),
		rapid.IntRange(0, 99).Draw(t, "figure"),
	}
})

func (e edit) do(l *sandbox.Listing) {
	text := l.Texts["en"]
	switch e.what {
	case "title":
		text.Title = fmt.Sprintf("Product %d", e.n)
	case unsellable:
		text.Title = fmt.Sprintf("An %s product %d", unsellable, e.n)
	case "no title":
		text.Title = ""
	case "description":
		text.Description = fmt.Sprintf("<p>%d</p>", e.n)
	case "back":
		l.Variants = []sandbox.Variant{variant(e.n)}
	case "variant more":
		l.Variants = append(l.Variants, variant(e.n))
	}
	l.Texts = map[string]sandbox.Text{"en": text}
	if len(l.Variants) == 0 {
		return
	}
	switch first := &l.Variants[0]; e.what {
	case "stock":
		first.Quantity = e.n
	case "price":
		first.MSRP = fmt.Sprintf("20.%02d", e.n)
	case "price too far":
		first.MSRP = fmt.Sprintf("90.%02d", e.n)
	case "variants fewer":
		l.Variants = l.Variants[:1]
	case "policy":
		first.Policy = []string{"CONTINUE", "DENY"}[e.n%2]
	}
}

// variant is a variant whose SKU it shares with many.
func variant(n int) sandbox.Variant {
	return sandbox.Variant{SKU: fmt.Sprintf("SKU-%d", n%3), Cost: "1.00", MSRP: "20.00", Quantity: n}
}

// listed is the ids on the list, and restorable those that were on it.
func (m *machine) listed() (ids []string) {
	for _, p := range m.Market.Publications() {
		ids = append(ids, p.ID)
	}
	return ids
}

func (m *machine) drawListed(t *rapid.T) string {
	ids := m.listed()
	if len(ids) == 0 {
		t.Skip("nothing is listed")
	}
	return rapid.SampledFrom(ids).Draw(t, "id")
}

// latest is the latest updatedAt that anybody may have seen.
func (m *machine) latest() time.Time {
	for _, p := range m.Market.Publications() {
		if p.UpdatedAt.After(m.newest) {
			m.newest = p.UpdatedAt
		}
	}
	return m.newest
}

// moved notes whether a change can be met by a sweep that goes on from its cursor. newest and was
// are the latest updatedAt of all, and that of the entry, before it.
func (m *machine) moved(ctx context.Context, id string, was, newest time.Time) {
	p, _ := m.Market.Publication(id)
	// a coarse clock that is set back may come to the updatedAt that was read
	known, _ := time.Parse(time.RFC3339, m.of(ctx, id).UpdatedAt)
	switch {
	case p.UpdatedAt.Equal(was), p.UpdatedAt.Equal(known):
		m.hide(id, hiding{unmoved: true, whole: true})
	case m.sorted && !p.UpdatedAt.After(newest):
		m.hide(id, hiding{late: true})
	default:
		delete(m.hides, id)
	}
}

func (m *machine) hide(id string, h hiding) {
	for _, all := range []map[string]hiding{m.hides, m.ever} {
		was := all[id]
		all[id] = hiding{late: was.late || h.late, unmoved: was.unmoved || h.unmoved, whole: was.whole || h.whole}
	}
}

// change changes the content of entries at one moment, after which all have the same updatedAt.
func (m *machine) change(ctx context.Context, f edit, skew time.Duration, ids ...string) {
	newest := m.latest()
	was := map[string]time.Time{}
	for _, id := range ids {
		p, _ := m.Market.Publication(id)
		was[id] = p.UpdatedAt
		if err := m.Market.Update(id, f.do); err != nil {
			m.breaks(err.Error())
		}
	}
	last, _ := m.Market.Publication(ids[len(ids)-1])
	at := last.UpdatedAt.Add(skew)
	for _, id := range ids {
		if len(ids) > 1 || skew != 0 {
			if err := m.Market.SetUpdatedAt(id, at); err != nil {
				m.breaks(err.Error())
			}
		}
		m.moved(ctx, id, was[id], newest)
	}
	m.latest() // a report may move it back
}

// drawSkew is how far the marketplace's clock is from ours.
func (m *machine) drawSkew(t *rapid.T) time.Duration {
	if !m.skewed {
		return 0
	}
	return rapid.SampledFrom([]time.Duration{0, 0, -time.Hour, time.Hour}).Draw(t, "skew")
}

// Add lists new entries.
func (m *machine) Add(t *rapid.T) {
	n, letter := rapid.IntRange(1, 3).Draw(t, "entries"), rapid.RuneFrom([]rune("abxyz")).Draw(t, "letter")
	if len(m.listed()) > 12 {
		t.Skip("enough are listed")
	}
	defer m.alone()()
	newest := m.latest()
	var ids []string
	for range n {
		m.serial++
		p := sandbox.Publication{ID: fmt.Sprintf("%c/%d", letter, m.serial), Listing: &sandbox.Listing{
			Texts: map[string]sandbox.Text{
				"en": {Title: fmt.Sprintf("Product %d", m.serial), Description: "<p>As described.</p>"},
			},
			Variants: []sandbox.Variant{variant(m.serial)},
		}}
		ids = append(ids, m.Market.Add(p)...)
		m.all = append(m.all, p.ID)
	}
	last, _ := m.Market.Publication(ids[n-1])
	for _, id := range ids {
		if err := m.Market.SetUpdatedAt(id, last.UpdatedAt); err != nil {
			t.Fatal(err)
		}
		m.moved(t.Context(), id, time.Time{}, newest)
	}
}

// Change changes the content of an entry.
func (m *machine) Change(t *rapid.T) {
	id, f, skew := m.drawListed(t), drawEdit.Draw(t, "change"), m.drawSkew(t)
	defer m.alone()()
	m.change(t.Context(), f, skew, id)
}

// ChangeTogether changes several at the same moment, more than a page has room for.
func (m *machine) ChangeTogether(t *rapid.T) {
	ids := m.listed()
	if len(ids) == 0 {
		t.Skip("nothing is listed")
	}
	ids = rapid.SliceOfNDistinct(rapid.SampledFrom(ids), 1, len(ids), rapid.ID[string]).Draw(t, "ids")
	f := drawEdit.Draw(t, "change")
	defer m.alone()()
	m.change(t.Context(), f, 0, ids...)
}

// ChangeWhilePaging changes an entry as soon as a page of a listing has been made, and lists what
// there is.
func (m *machine) ChangeWhilePaging(t *rapid.T) {
	for range rapid.IntRange(1, 3).Draw(t, "pages") {
		id, f := m.drawListed(t), drawEdit.Draw(t, "change")
		m.mu.Lock()
		m.tap.moving = append(m.tap.moving, func() {
			if _, listed := m.Market.Publication(id); listed {
				m.change(t.Context(), f, 0, id)
			}
		})
		m.mu.Unlock()
	}
	m.Sweep(t)
}

// ChangeQuietly changes content without moving updatedAt.
func (m *machine) ChangeQuietly(t *rapid.T) {
	id := m.drawListed(t)
	n := rapid.IntRange(0, 99).Draw(t, "stock")
	defer m.alone()()
	if p, _ := m.Market.Publication(id); p.Listing == nil || len(p.Listing.Variants) == 0 {
		return
	}
	check(t, m.Market.Supply(id, []string{fmt.Sprint("stock=", n)}, sandbox.KeepUpdatedAt))
	m.hide(id, hiding{unmoved: true})
}

// Remove takes an entry off the list, or leaves it there with nothing to sell.
func (m *machine) Remove(t *rapid.T) {
	id, how := m.drawListed(t), rapid.IntRange(0, 3).Draw(t, "how")
	defer m.alone()()
	newest := m.latest()
	p, _ := m.Market.Publication(id)
	switch how {
	case 0:
		check(t, m.Market.Supply(id, []string{"listing=none"}))
	case 1:
		check(t, m.Market.Update(id, func(l *sandbox.Listing) { l.Variants = nil }))
	default:
		m.Market.Remove(id)
		return
	}
	m.moved(t.Context(), id, p.UpdatedAt, newest)
}

// Relist brings back an entry that is gone, or gives one that shows nothing something to sell.
func (m *machine) Relist(t *rapid.T) {
	time.Sleep(2 * time.Millisecond) // what is read in the millisecond of an acknowledgement says nothing of the status
	defer m.alone()()
	back := []string{}
	for _, id := range m.all {
		if p, listed := m.Market.Publication(id); !listed || !sellable(p) {
			back = append(back, id)
		}
	}
	if len(back) == 0 {
		t.Skip("all is listed")
	}
	id := rapid.SampledFrom(back).Draw(t, "id")
	newest := m.latest()
	p, listed := m.Market.Publication(id)
	if !listed {
		m.Market.Restore(id)
		m.moved(t.Context(), id, time.Time{}, newest)
		p, _ = m.Market.Publication(id)
	}
	if !sellable(p) {
		m.change(t.Context(), edit{"back", 1}, 0, id)
	}
}
