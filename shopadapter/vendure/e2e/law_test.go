package e2e_test

import (
	"flag"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter/laws"
)

var whole = flag.Bool("vendure.whole", false, "have every request of a call fail, and not one in twelve")

// TestLaws holds the adapter to every law on real servers, several at a time: the laws that lose an answer repeat a
// scenario for each request. A law has the shop to itself.
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
					if h.Stride = 12; *whole {
						h.Stride = 1
					}
					if err := law.Check(t.Context(), h); err != nil {
						t.Errorf("%s\n%v", law.Sentence, err)
					}
					t.Logf("took %s", time.Since(began))
				})
			}
		})
	}
}
