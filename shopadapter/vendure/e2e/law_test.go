package e2e_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter/internal/race"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// TestLaws holds the adapter to every law on real servers, several at a time since the laws that lose
// an answer at each request repeat a scenario for each. A law has the shop to itself.
func TestLaws(t *testing.T) {
	const servers = 2
	leftOut := []string{
		"observed-reduction", // Vendure has no former price: a promotion leaves the price of the variant as it is
		"net-price",          // Vendure keeps whole cents, so net prices meet a visitor's to a cent: TestNetPrices
	}
	book := make(chan laws.Law, 1000)
	for _, law := range slices.Backward(laws.Laws()) {
		if !slices.Contains(leftOut, law.ID) {
			book <- law
		}
	}
	close(book)
	for i := range servers {
		t.Run(fmt.Sprint("server ", i+1), func(t *testing.T) {
			t.Parallel()
			server := boot(t.Context(), t)
			t.Cleanup(server.Stop)
			transport := &http.Transport{}
			t.Cleanup(transport.CloseIdleConnections)
			for law := range book {
				t.Run(law.ID, func(t *testing.T) {
					began := time.Now()
					if err := server.Clear(t.Context()); err != nil {
						t.Fatal(err)
					}
					h := server.Harness(t, transport)
					h.Stride = race.Stride
					if err := law.Check(t.Context(), h); err != nil {
						t.Errorf("%s\n%v", law.Sentence, err)
					}
					t.Logf("took %s", time.Since(began))
				})
			}
		})
	}
}
