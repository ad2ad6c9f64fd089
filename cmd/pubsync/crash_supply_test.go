// What suppliers and retailer do during a campaign.

package main_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// forbidden begins the titles that the shop refuses.
const forbidden = "Forbidden"

// A supply is what the suppliers and the retailer do during a campaign.
type supply struct {
	*site
	ledger *ledger
	made   int
	told   map[string]bool // publications that a webhook has named: a second one soon after may be put off
	gone   []string        // taken off the list, and not put back
}

// grow puts new lamps on the list. Some share their SKUs with the one before.
func (s *supply) grow(n int) {
	for range n {
		s.made++
		l := lamp(s.made - s.made%5/4)
		retext(l, "en", func(t *sandbox.Text) { t.Title = fmt.Sprintf("Lamp %d", s.made) })
		s.add(l)
	}
}

// pick is one of the publications on the list.
func (s *supply) pick(dice *rand.Rand) string {
	list := s.market.Publications()
	return list[dice.IntN(len(list))].ID
}

// stir changes a few products and adds one. What is spoiled is mended as often.
func (s *supply) stir(dice *rand.Rand) {
	s.t.Helper()
	for range 4 {
		s.change(s.pick(dice), dice)
	}
	if dice.IntN(4) == 0 {
		s.spoil(s.pick(dice))
	}
	spoiled := s.spoiled()
	if len(spoiled) > 0 && dice.IntN(3) == 0 {
		s.mend(spoiled[dice.IntN(len(spoiled))])
	}
	s.grow(1)
}

// change has the supplier change one to three things of a product, the price by little: no brake is
// to hold it.
func (s *supply) change(id string, dice *rand.Rand) {
	s.t.Helper()
	s.update(id, func(l *sandbox.Listing) {
		for range 1 + dice.IntN(3) {
			v := &l.Variants[dice.IntN(len(l.Variants))]
			n := dice.IntN(1000)
			switch dice.IntN(11) {
			case 0, 1:
				v.Quantity = n % 50
			case 2, 3:
				v.MSRP = fmt.Sprintf("2%d.%02d", n%5, n/5%100)
			case 4:
				v.Cost = fmt.Sprintf("10.%02d", n%100)
			case 5:
				retext(l, "en", func(t *sandbox.Text) { t.Title = strings.TrimSuffix(t.Title, "!") + "!" })
			case 6:
				retext(l, "nl", func(t *sandbox.Text) { t.Title = fmt.Sprintf("Lamp in oplage %d", n) })
			case 7:
				retext(l, "en", func(t *sandbox.Text) { t.Description = fmt.Sprintf("<p>Edition <b>%d</b>.</p>", n) })
			case 8:
				l.Pictures[0].URL = fmt.Sprintf("https://pictures.example/edition-%d.jpg", n)
			case 9:
				l.Shipping[0].FixedCosts = fmt.Sprintf("4.%02d", n%100)
			default:
				s.vary(l, n)
			}
		}
	})
}

// vary adds a variant, or takes the added one away.
func (s *supply) vary(l *sandbox.Listing, n int) {
	if len(l.Variants) > 2 {
		l.Variants = l.Variants[:2]
		return
	}
	v := l.Variants[0]
	v.ID, v.SKU, v.Options = "", fmt.Sprintf("%s-%d", v.SKU, n), []sandbox.Option{{Name: "Color", Value: "Green"}}
	l.Variants = append(l.Variants, v)
}

// spoil gives a product a title that the shop refuses.
func (s *supply) spoil(id string) {
	s.t.Helper()
	s.update(id, func(l *sandbox.Listing) {
		retext(l, "en", func(t *sandbox.Text) { t.Title = forbidden + strings.TrimPrefix(t.Title, forbidden) })
	})
}

func (s *supply) mend(id string) {
	s.t.Helper()
	s.update(id, func(l *sandbox.Listing) {
		retext(l, "en", func(t *sandbox.Text) { t.Title = strings.TrimPrefix(t.Title, forbidden) })
	})
}

// spoiled is the products on the list that the shop refuses.
func (s *supply) spoiled() []string {
	var ids []string
	for _, p := range s.market.Publications() {
		if strings.HasPrefix(p.Listing.Texts["en"].Title, forbidden) {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// remove takes publications off the list.
func (s *supply) remove(ids ...string) {
	s.ledger.off(ids...)
	s.market.Remove(ids...)
	s.gone = append(s.gone, ids...)
}

// restore puts the one that has been gone longest back.
func (s *supply) restore() {
	if len(s.gone) > 0 {
		s.market.Restore(s.gone[0])
		s.gone = slices.Delete(s.gone, 0, 1)
	}
}

func (s *supply) update(id string, f func(*sandbox.Listing), how ...sandbox.Change) {
	s.t.Helper()
	if err := s.market.Update(id, f, how...); err != nil {
		s.t.Error(err)
	}
}
