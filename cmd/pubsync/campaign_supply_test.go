// What suppliers and retailer do during a campaign.

package main_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

const forbidden = "Forbidden"

// A supply is what the suppliers and the retailer of an account do during a campaign.
type supply struct {
	*site
	ledger *ledger
	most   int // so many products are offered at most

	mu      sync.Mutex
	made    int
	changes map[string]int // how often each publication has changed
	told    map[string]int // the change that each one's last webhook told; 0: it was not acknowledged
	gone    []string       // taken off the list, and not put back
}

// grow puts new lamps on the list. Some share their SKUs with the one before.
func (s *supply) grow(n int) (id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for range n {
		s.made++
		l := lamp(s.made - s.made%5/4)
		retext(l, "en", func(t *sandbox.Text) { t.Title = fmt.Sprintf("Lamp %d", s.made) })
		id = s.add(l)
		s.changes[id] = 1
	}
	return id
}

func (s *supply) pick(dice *rand.Rand) string {
	list := s.market.Publications()
	return list[dice.IntN(len(list))].ID
}

// stir changes a few products and adds one or two. The first time it makes the list.
func (s *supply) stir(dice *rand.Rand) {
	s.t.Helper()
	if len(s.market.Publications()) == 0 {
		s.grow(24)
	}
	for range 6 {
		s.move(dice)
	}
}

// move changes one product or adds one, and returns its publication. What is spoiled is mended as
// often.
func (s *supply) move(dice *rand.Rand) (id string) {
	s.t.Helper()
	id, spoiled := s.pick(dice), s.spoiled()
	switch n := dice.IntN(16); {
	case n < 4 && len(s.market.Publications()) < s.most:
		return s.grow(1)
	case n == 4:
		s.spoil(id)
	case n < 7 && len(spoiled) > 0:
		id = spoiled[dice.IntN(len(spoiled))]
		s.mend(id)
	default:
		s.change(id, dice)
	}
	return id
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
				vary(l, n)
			}
		}
	})
}

func vary(l *sandbox.Listing, n int) {
	if len(l.Variants) > 2 {
		l.Variants = l.Variants[:2]
		return
	}
	v := l.Variants[0]
	v.ID, v.SKU, v.Options = "", fmt.Sprintf("%s-%d", v.SKU, n), []sandbox.Option{{Name: "Color", Value: "Green"}}
	l.Variants = append(l.Variants, v)
}

// spoil gives a product a title that the shop refuses.
func (s *supply) spoil(id string) { s.t.Helper(); s.prefix(id, forbidden) }

func (s *supply) mend(id string) { s.t.Helper(); s.prefix(id, "") }

func (s *supply) prefix(id, prefix string) {
	s.t.Helper()
	s.update(id, func(l *sandbox.Listing) {
		retext(l, "en", func(t *sandbox.Text) { t.Title = prefix + strings.TrimPrefix(t.Title, forbidden) })
	})
}

func isSpoiled(p sandbox.Publication) bool {
	return strings.HasPrefix(p.Listing.Texts["en"].Title, forbidden)
}

func (s *supply) spoiled() (ids []string) {
	for _, p := range s.market.Publications() {
		if isSpoiled(p) {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

func (s *supply) remove(id string) {
	s.ledger.off(id)
	s.market.Remove(id)
	s.gone = append(s.gone, id)
}

// restore puts the one that has been gone longest back. That is a change.
func (s *supply) restore() {
	if len(s.gone) > 0 {
		s.changes[s.gone[0]]++
		s.market.Restore(s.gone[0])
		s.gone = slices.Delete(s.gone, 0, 1)
	}
}

func (s *supply) update(id string, f func(*sandbox.Listing), how ...sandbox.Change) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes[id]++
	if err := s.market.Update(id, f, how...); err != nil {
		s.t.Error(err)
	}
}

// tell sends the webhook of a publication's last change to an address, and reports whether it was
// acknowledged.
func (s *supply) tell(address, id string) bool {
	s.mu.Lock()
	change := s.changes[id]
	s.told[id] = 0
	s.mu.Unlock()
	body := created(id)
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		s.t.Error(err)
		return false
	}
	r.Header.Set("X-Service-Signature", signature(body)) // an unsigned one may wait for a minute
	res, err := (&http.Client{Timeout: 5 * time.Second}).Do(r)
	if err != nil { // the program has ended, or waits for its database
		return false
	}
	_ = res.Body.Close() //nolint:errcheck // it has none
	switch res.StatusCode {
	case http.StatusNoContent:
		s.mu.Lock()
		defer s.mu.Unlock()
		s.told[id] = change
		return true
	case http.StatusServiceUnavailable:
	default:
		s.t.Errorf("a webhook to %s: %d, want 204 or 503", address, res.StatusCode)
	}
	return false
}

func (s *supply) named(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, named := s.told[id]
	return named
}

// asTold is the publications whose last change an acknowledged webhook told.
func (s *supply) asTold() (ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, change := range s.told {
		if change > 0 && change == s.changes[id] {
			ids = append(ids, id)
		}
	}
	return ids
}
