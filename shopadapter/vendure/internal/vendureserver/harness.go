package vendureserver

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

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/race"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// pictureBase is a PNG of one pixel, which any tool takes. What follows its end is ignored, and
// makes each picture of another size.
const pictureBase = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// Pictures is a host of pictures on loopback: the n-th is at Address(n).
type Pictures struct {
	server *httptest.Server
	base   []byte
	Served atomic.Int64 // how often a picture was fetched

	mu     sync.Mutex
	lost   map[string]bool // paths that have no answer now
	spoilt map[string]bool // paths of what is no picture
}

// NewPictures starts the host; it ends with the test.
func NewPictures(t testing.TB) *Pictures {
	t.Helper()
	base, err := base64.StdEncoding.DecodeString(pictureBase)
	if err != nil {
		t.Fatal(err)
	}
	p := &Pictures{base: base, lost: map[string]bool{}, spoilt: map[string]bool{}}
	p.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, "/"), ".png"))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		p.mu.Lock()
		lost, spoilt := p.lost[r.URL.Path], p.spoilt[r.URL.Path]
		p.mu.Unlock()
		switch {
		case lost:
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		case spoilt:
			_, _ = w.Write([]byte("<!doctype html><title>Our pictures have moved</title>"))
			return
		}
		p.Served.Add(1)
		_, _ = w.Write(append(bytes.Clone(p.base), make([]byte, n)...))
	}))
	t.Cleanup(p.server.Close)
	return p
}

// Lose has the host answer 503 at an address until back is called.
func (p *Pictures) Lose(address string) (back func()) {
	set := func(lost bool) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.lost[strings.TrimPrefix(address, p.server.URL)] = lost
	}
	set(true)
	return func() { set(false) }
}

// Spoil puts a page of HTML at an address, for good.
func (p *Pictures) Spoil(address string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spoilt[strings.TrimPrefix(address, p.server.URL)] = true
}

// Host is what IMAGE_HOSTS has to hold.
func (p *Pictures) Host() string { return strings.TrimPrefix(p.server.URL, "http://") }

// Address is where the n-th picture is.
func (p *Pictures) Address(n int) string { return fmt.Sprintf("%s/%d.png", p.server.URL, n) }

// OfSize is the address of the picture of a size.
func (p *Pictures) OfSize(size int) string { return p.Address(size - len(p.base)) }

// A Shop is what Harness needs to know of one, real or not.
type Shop struct {
	Office    *Backoffice
	Pictures  *Pictures
	Settings  map[string]string // of the adapter
	Transport http.RoundTripper // what reaches the shop
	Open      func(shopadapter.Options) (shopadapter.Adapter, error)
	Visit     func(context.Context, shopadapter.ListingID) ([]laws.Choice, error) // as the harness's
}

// Harness is the shop in the terms of the conformance suite.
func (s Shop) Harness(t testing.TB) laws.Harness {
	t.Helper()
	tamper := &tamper{next: s.Transport, password: s.Settings["PASSWORD"]}
	observe := func(ctx context.Context) ([]laws.Seen, error) {
		return s.Office.Observe(ctx, s.Pictures.OfSize)
	}
	return laws.Harness{
		Open: func(wrap func(http.RoundTripper) http.RoundTripper) (shopadapter.Adapter, error) {
			return s.Open(shopadapter.Options{Settings: s.Settings, HTTPClient: &http.Client{Transport: wrap(tamper)}})
		},
		Observe:     observe,
		Stride:      race.Stride,
		Image:       s.Pictures.Address,
		LosePicture: s.Pictures.Lose, SpoilPicture: s.Pictures.Spoil,
		Secrets: []string{s.Settings["PASSWORD"]},
		Visit:   s.Visit, RenameOption: s.Office.RenameOption, RenameValue: s.Office.RenameValue,
		Edit: s.Office.Edit, DeleteByHand: s.Office.Delete, HideByHand: s.Office.Hide, AddForeign: s.Office.AddForeign,
		DeleteStamp:    s.Office.DeleteStamp,
		SetPriceByHand: s.Office.SetPrice, SetQuantityByHand: s.Office.SetQuantity,
		RemoveVariantByHand: s.Office.RemoveVariant, HideVariantByHand: s.Office.HideVariant,
		Drafts:  true,
		Details: DetailNames(), EditDetail: s.Office.EditDetail,
		Without: map[string]string{
			"observed-reduction": "Vendure has no former price: a promotion leaves the price of the variant as it is",
		},
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
			n, err := s.Office.Uploads(context.WithoutCancel(t.Context()))
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
