package e2e_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// pictureBase is a PNG of one pixel, which any tool takes. What follows its end is ignored, and
// makes each picture of another size.
const pictureBase = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// Pictures is a host of pictures on loopback: the n-th is at Address(n).
type Pictures struct {
	*httptest.Server
	base []byte

	mu     sync.Mutex
	lost   map[string]bool // addresses that have no answer now
	spoilt map[string]bool // addresses of what is no picture
}

// newPictures starts the host; it ends with the test.
func newPictures(t testing.TB) *Pictures {
	t.Helper()
	base, err := base64.StdEncoding.DecodeString(pictureBase)
	if err != nil {
		t.Fatal(err)
	}
	p := &Pictures{base: base, lost: map[string]bool{}, spoilt: map[string]bool{}}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, "/"), ".png"))
		p.mu.Lock()
		defer p.mu.Unlock()
		switch address := p.URL + r.URL.Path; {
		case err != nil:
			http.NotFound(w, r)
		case p.lost[address]:
			w.WriteHeader(http.StatusServiceUnavailable)
		case p.spoilt[address]:
			_, _ = w.Write([]byte("<!doctype html><title>Our pictures have moved</title>"))
		default:
			_, _ = w.Write(append(bytes.Clone(p.base), make([]byte, n)...))
		}
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *Pictures) set(which map[string]bool, address string, is bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	which[address] = is
}

// Lose has the host answer 503 at an address until back is called.
func (p *Pictures) Lose(address string) (back func()) {
	p.set(p.lost, address, true)
	return func() { p.set(p.lost, address, false) }
}

// Spoil puts a page of HTML at an address, for good.
func (p *Pictures) Spoil(address string) { p.set(p.spoilt, address, true) }

// Address is where the n-th picture is.
func (p *Pictures) Address(n int) string { return fmt.Sprintf("%s/%d.png", p.URL, n) }

// OfSize is the address of the picture of a size.
func (p *Pictures) OfSize(size int) string { return p.Address(size - len(p.base)) }

// Settings are the adapter's for this shop, with changes by name and value.
func (s *Server) Settings(changes ...string) map[string]string {
	all := map[string]string{
		"URL": s.URL, "USERNAME": s.username, "PASSWORD": s.password,
		"STOREFRONT_URL": "https://shop.example/product/{slug}", "IMAGE_HOSTS": "127.0.0.1",
	}
	for i := 0; i+1 < len(changes); i += 2 {
		all[changes[i]] = changes[i+1]
	}
	return all
}

type listing = shopadapter.ListingID

// Harness is the shop in the terms of the laws. Pictures stay in the library, so each law has some of
// its own.
func (s *Server) Harness(t testing.TB, transport http.RoundTripper) laws.Harness {
	t.Helper()
	tamper, pictures := &tamper{next: transport, password: s.password}, newPictures(t)
	return laws.Harness{
		Open: func(wrap func(http.RoundTripper) http.RoundTripper) (shopadapter.Adapter, error) {
			return shopadapter.Open("vendure", shopadapter.Options{
				Settings: s.Settings(), HTTPClient: &http.Client{Transport: wrap(tamper)},
			})
		},
		Observe: func(ctx context.Context) ([]laws.Seen, error) {
			return s.observe(ctx, nil, pictures.OfSize)
		},
		ObserveOne: func(ctx context.Context, id shopadapter.PublicationID) ([]laws.Seen, error) {
			return s.observe(ctx, keyed(id), pictures.OfSize)
		},
		Image:       pictures.Address,
		LosePicture: pictures.Lose, SpoilPicture: pictures.Spoil,
		Secrets: []string{s.password},
		Visit:   s.Visit, RenameOption: s.RenameOption, RenameValue: s.RenameValue,
		Edit: s.Edit, DeleteByHand: s.Delete, HideByHand: s.Hide, AddForeign: s.AddForeign, DeleteStamp: s.DeleteStamp,
		SetPriceByHand: func(ctx context.Context, _ listing, v laws.SeenVariant, price string) error {
			amount, err := decimal.NewFromString(price)
			if err != nil {
				return err
			}
			return s.UpdateVariant(ctx, v.ShopID, vars{"price": amount.Shift(2).IntPart()})
		},
		SetQuantityByHand: func(ctx context.Context, _ listing, v laws.SeenVariant, quantity int) error {
			return s.UpdateVariant(ctx, v.ShopID, vars{"stockOnHand": quantity})
		},
		RemoveVariantByHand: func(ctx context.Context, _ listing, v laws.SeenVariant) error {
			return s.RemoveVariant(ctx, v.ShopID)
		},
		HideVariantByHand: func(ctx context.Context, _ listing, v laws.SeenVariant) error {
			return s.UpdateVariant(ctx, v.ShopID, vars{"enabled": false})
		},
		Drafts: true, Languages: []string{"nl"},
		Details: []string{
			"brand", "ean", "weight", "length", "width", "height", "diameter", "volume", "origin", "leadTime", "tags",
			"materials", "caseQuantity",
		},
		EditDetail: s.EditDetail,
		RefuseVariant: func(p shopadapter.Product, i int) shopadapter.Product {
			p.Variants[i].Price = "99999999.95"
			return p
		},
		RefuseProduct: func(p shopadapter.Product) shopadapter.Product {
			p.Description = "<p>" + strings.Repeat("far too long ", 10_000) + "</p>"
			return p
		},
		BreakCredentials: tamper.breakCredentials,
		Uploads: func() int {
			n, err := s.Uploads(context.WithoutCancel(t.Context()))
			if err != nil {
				t.Errorf("count uploads: %v", err)
			}
			return n
		},
	}
}

// A tamper spoils the credentials of each request on its way to the shop, which then refuses them
// by its own rules: the session is one that it does not know, and the password a wrong one.
type tamper struct {
	next     http.RoundTripper
	password string
	broken   atomic.Bool
}

func (t *tamper) breakCredentials() (mend func()) {
	t.broken.Store(true)
	return func() { t.broken.Store(false) }
}

func (t *tamper) RoundTrip(request *http.Request) (*http.Response, error) {
	if !t.broken.Load() {
		return t.next.RoundTrip(request)
	}
	body, err := io.ReadAll(request.Body)
	_ = request.Body.Close()
	if err != nil {
		return nil, err
	}
	body = bytes.ReplaceAll(body, []byte(t.password), []byte("a-wrong-password"))
	request = request.Clone(request.Context())
	request.Body, request.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	if request.Header.Get("Authorization") != "" {
		request.Header.Set("Authorization", "Bearer unknown")
	}
	request.Header.Del("Cookie")
	return t.next.RoundTrip(request)
}
