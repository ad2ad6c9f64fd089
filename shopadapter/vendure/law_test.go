package vendure_test

import (
	"net/http"
	"testing"

	"go.uber.org/goleak"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/shopadaptertest"
	"github.com/pubsync/pubsync/shopadapter/vendure/internal/vendureserver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestLaws(t *testing.T) {
	shopadaptertest.Run(t, func(t *testing.T) shopadaptertest.Harness {
		t.Parallel()
		fake, pictures := newFakeShop(t), vendureserver.NewPictures(t)
		shop := vendureserver.Shop{
			Office: fake.office(), Pictures: pictures, Settings: settings("IMAGE_HOSTS", pictures.Host()), Transport: fake,
			Open: func(o shopadapter.Options) (shopadapter.Adapter, error) { return shopadapter.Open("vendure", o) },
		}
		h := shop.Harness(t)
		h.RefuseVariant = func(p shopadapter.Product, i int) shopadapter.Product {
			p.Variants[i].SKU = "REFUSED-" + p.Variants[i].SKU
			return p
		}
		return h
	})
}

var _ http.RoundTripper = (*fakeShop)(nil)
