package vendure_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/collector"
	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/vendure/internal/vendureserver"
)

func TestMain(m *testing.M) {
	collector.Seldom()
	goleak.VerifyTestMain(m)
}

func TestLaws(t *testing.T) {
	laws.Run(t, func(t *testing.T) laws.Harness {
		t.Parallel()
		fake, pictures := newFakeShop(t), vendureserver.NewPictures(t)
		shop := vendureserver.Shop{
			Office: fake.office(), Pictures: pictures, Settings: settings("IMAGE_HOSTS", pictures.Host()), Transport: fake,
			Open: func(o shopadapter.Options) (shopadapter.Adapter, error) { return shopadapter.Open("vendure", o) },
		}
		h := shop.Harness(t)
		overGraphQL := h.Observe
		h.Observe = func(ctx context.Context) ([]laws.Seen, error) {
			products, err := fake.observed(ctx)
			return vendureserver.Seen(products, pictures.OfSize), err
		}
		h.Visit = laws.VisitSeen(h.Observe)
		t.Cleanup(func() {
			want, err := overGraphQL(context.Background())
			got, directly := h.Observe(context.Background())
			if diff := cmp.Diff(want, got); diff != "" || err != nil || directly != nil {
				t.Errorf(
					"the fake shows its owner something else than it does over GraphQL: %v, %v\n%s",
					err,
					directly,
					diff,
				)
			}
		})
		h.RefuseVariant = func(p shopadapter.Product, i int) shopadapter.Product {
			p.Variants[i].SKU = "REFUSED-" + p.Variants[i].SKU
			return p
		}
		return h
	})
}

var _ http.RoundTripper = (*fakeShop)(nil)
