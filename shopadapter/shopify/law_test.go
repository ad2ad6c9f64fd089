package shopify_test

import (
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/shopadaptertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestLaws(t *testing.T) {
	shopadaptertest.Run(t, func(t *testing.T) shopadaptertest.Harness {
		fake := newFakeShop(t)
		return shopadaptertest.Harness{
			Open: func(wrap func(http.RoundTripper) http.RoundTripper) (shopadapter.Adapter, error) {
				return fake.openOver(wrap(fake))
			},
			Observe: fake.observe, Secrets: []string{token}, Edit: fake.edit, DeleteByHand: fake.deleteByHand, AddForeign: fake.addForeign,
			BreakCredentials: fake.breakCredentials,
			Uploads: func() int {
				fake.mu.Lock()
				defer fake.mu.Unlock()
				return fake.uploads
			},
			RefuseVariant: func(p shopadapter.Product, i int) shopadapter.Product {
				p.Variants[i].SKU = strings.Repeat("A", 256)
				return p
			},
			RefuseProduct: func(p shopadapter.Product) shopadapter.Product {
				p.Title = forbidden + " " + p.Title
				return p
			},
		}
	})
}
