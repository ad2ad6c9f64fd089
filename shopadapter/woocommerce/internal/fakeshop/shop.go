// Package fakeshop is a WooCommerce in this process, for the tests of the adapter.
//
// It does what a real WooCommerce 11.0.1 was seen to do; comments name each unexpected habit where it lives. Its
// answers are compared with recorded ones.
//
// A [Shop] is a transport. Like PHP, it executes a request to its end even when the client is gone.
package fakeshop

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// Credentials and address of a shop.
const (
	Key    = "ck_1f6c9a_key"
	Secret = "cs_77b0de_secret" //nolint:gosec // of a shop that is nowhere
	URL    = "https://shop.example.com"
)

// A Shop is a WooCommerce.
type Shop struct {
	Mu                 sync.Mutex
	Posts              map[int64]*Post
	Lookup             map[string]int64 // by SKU in lower case, also of the trash
	Media              map[int64]*Attachment
	Categories, Brands []map[string]any
	Globals            map[int64]string // names of global attributes
	NextPost           int64
	lastTerm           int
	Loaded             int
	Made               map[string]int // variations made, by SKU
	log                []string       // method and path of each request
	Running            sync.WaitGroup
	complaints         map[string]int // how often, by an argument that no route takes
	lenient            bool           // requests are not checked

	// Settings.
	Base                      string
	WeightUnit, DimensionUnit string
	Currency                  string // "": the settings may not be seen
	Uncounting                bool   // no stock management
	Taxes, Exclude            bool   // taxes of 21 % are calculated; prices are without them
	VAT                       string // PUBSYNC_PRICE_VAT_PERCENT
	Decimals                  string // of shown prices; "": 2

	// Faults of the key, and of what stands before the API.
	Broken   bool // every key is refused
	ReadOnly bool
	Notice   string // written before each answer
	// Front answers before the API, or in its place; nil: no pages
	Front func(w http.ResponseWriter, r *http.Request, local string) (done bool)

	// Plugins and failures.
	RefuseSKU, RefuseTitle string // prefixes of what is refused
	RefusePrice            string
	Rewrite                func(name string) string
	Suppresses             bool                           // pictures that cannot be loaded are left out
	BadPicture             func(src string) string        // why it cannot be had, or ""
	Kills                  func(src string) bool          // a picture on which PHP dies
	Slow                   map[string]time.Duration       // to load a picture
	Work                   func(kind string)              // takes as long as the shop does
	Dies                   func(at string) bool           // PHP dies here in a write
	Before                 func(*http.Request, int) error // gets each request and its number
}

// New returns a shop without products. At the end of the test it reports arguments that no route takes.
func New(t testing.TB) *Shop {
	f := &Shop{
		Posts: map[int64]*Post{}, Lookup: map[string]int64{}, Media: map[int64]*Attachment{},
		Made: map[string]int{}, complaints: map[string]int{}, NextPost: 100, Base: URL,
		Currency: "EUR", WeightUnit: "g", DimensionUnit: "mm",
		Globals: map[int64]string{1: "Material", 2: "Brand"},
		Categories: []map[string]any{
			{"id": 15, "name": "Uncategorized", "slug": "uncategorized", "parent": 0},
			{"id": 16, "name": "Home &amp; Garden", "slug": "home-garden", "parent": 0},
			{"id": 17, "name": "Lighting", "slug": "lighting", "parent": 16},
			{"id": 18, "name": "Furniture", "slug": "furniture", "parent": 16},
			{"id": 19, "name": "Textiles", "slug": "textiles", "parent": 16},
			{"id": 20, "name": "My own", "slug": "my-own", "parent": 0},
		},
	}
	t.Cleanup(func() {
		f.Running.Wait()
		for complaint, times := range f.complaints {
			t.Errorf("%d requests with an argument that no route takes: %s", times, complaint)
		}
	})
	return f
}

// RoundTrip executes a request to its end, also where the context ends.
func (f *Shop) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		var err error
		if body, err = io.ReadAll(req.Body); err != nil {
			return nil, err
		}
		_ = req.Body.Close()
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	f.Mu.Lock()
	f.log = append(f.log, req.Method+" "+strings.TrimPrefix(f.local(req.URL.Path), apiRoot))
	number := len(f.log)
	f.Mu.Unlock()
	if f.Before != nil {
		if err := f.Before(req, number); err != nil {
			return nil, err
		}
	}
	server := req.Clone(context.WithoutCancel(req.Context()))
	server.Body = io.NopCloser(bytes.NewReader(body))
	done := make(chan *http.Response, 1)
	f.Running.Go(func() {
		w := httptest.NewRecorder()
		if f.Notice != "" { // by then status 200 is sent
			_, _ = w.WriteString(f.Notice)
		}
		f.serve(w, server, body)
		done <- w.Result()
	})
	select {
	case resp := <-done:
		resp.Request = req
		return resp, nil
	case <-req.Context().Done():
		return nil, req.Context().Err()
	}
}

// Requests returns the log since the last call.
func (f *Shop) Requests() []string {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	log := f.log
	f.log = nil
	return log
}

func (f *Shop) local(path string) string {
	base, _ := url.Parse(f.Base)
	return strings.TrimPrefix(path, base.Path)
}

func (f *Shop) takes(kind string) {
	if f.Work != nil {
		f.Work(kind)
	}
}

// dead reports whether PHP dies here. Earlier writes stay.
func (f *Shop) dead(at string) bool { return f.Dies != nil && f.Dies(at) }
