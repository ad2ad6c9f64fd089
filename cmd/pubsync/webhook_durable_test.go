// An acknowledged webhook survives a kill.

package main_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

func TestAnAcknowledgedWebhookSurvivesAKill(t *testing.T) {
	s := open(t, sandbox.Options{})
	id := s.lamps(1)[0]
	w := s.work()
	w.settles(1)
	s.shop.rules(func(shoptest.Call) shoptest.Reply { return shoptest.Reply{Wait: time.Minute} })
	for range 5 {
		w.hook("PUBLICATION_CREATED", created(s.add(lamp(2))))
	}
	s.keepUpdated(id, "23.00")
	if status := w.hint(created(id)); status != http.StatusNoContent {
		t.Fatalf("the webhook was answered with %d, want %d", status, http.StatusNoContent)
	}
	w.kill()
	s.shop.rules(nil)
	w = s.work()
	w.settles(6)
	eventually(t, 5*time.Second, "the hint is not lost", func() bool { return s.prices(id)[0] == "23.00" })
	if s.shop.onSale() != 6 {
		t.Errorf("%d on sale, want 6", s.shop.onSale())
	}
}

// created is the body that announces a publication.
func created(id string) string {
	return fmt.Sprintf(`{"data":{"publication":{"id":%q,"status":"syncing","listing":{"product":{"id":"x"}}}}}`, id)
}
