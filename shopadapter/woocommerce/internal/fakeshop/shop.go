// Package fakeshop is a WooCommerce in this process, for the tests of the adapter.
//
// It does what a real WooCommerce 11.0.1 was seen to do, above all the unexpected: the comments
// name each such habit where it lives. Its answers are held against recorded ones, and each request
// that it gets against the schemas of the routes (testdata/schema.json).
//
// A [Shop] is a transport. It executes a request to its end even when the client is gone, as PHP
// does. Its fields are the switches of a test: what a plugin refuses, where PHP dies, how long a
// picture takes.
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

// The key and the secret that a shop knows, and its address.
const (
	Key    = "ck_1f6c9a_key"
	Secret = "cs_77b0de_secret" //nolint:gosec // of a shop that is nowhere
	URL    = "https://shop.example.com"
)

// A Shop is a WooCommerce.
type Shop struct {
	Mu                 sync.Mutex
	Posts              map[int64]*Post
	Lookup             map[string]int64 // the lookup table of SKUs, lower case: also those of the trash
	Media              map[int64]*Attachment
	Categories, Brands []map[string]any
	Globals            map[int64]string // the names of the global attributes
	NextPost           int64
	lastTerm           int
	Loaded             int
	Made               map[string]int // how often a variation of a SKU was made
	log                []string       // method and path of each request, in the order of arrival
	Running            sync.WaitGroup
	complaints         map[string]int // what the recorded schemas have against the requests
	lenient            bool           // requests are not held to the schemas

	// Its settings.
	Base                      string
	WeightUnit, DimensionUnit string
	Currency                  string // "": the key's user may not see the settings
	Uncounting                bool   // stock management is switched off
	Taxes, Exclude            bool   // taxes are calculated, at 21 %; prices are entered without them
	VAT                       string // what the adapter is told of PUBSYNC_PRICE_VAT_PERCENT
	Decimals                  string // of the prices that are shown; "": 2

	// What is wrong with the key, or stands before the API.
	Broken   bool   // every key is refused
	ReadOnly bool   // the key may not write
	Notice   string // what PHP writes before each answer
	// Front answers what the API does not, and what stands before it; nil: there are no pages
	Front func(w http.ResponseWriter, r *http.Request, local string) (done bool)

	// What plugins do, and what goes wrong.
	RefuseSKU, RefuseTitle string                         // how SKUs and titles begin that are refused
	RefusePrice            string                         // a price that is refused
	Rewrite                func(name string) string       // changes names
	Suppresses             bool                           // pictures that cannot be loaded are left out
	Renames                bool                           // pictures get other names
	BadPicture             func(src string) string        // why a picture cannot be had, "" for a good one
	Kills                  func(src string) bool          // a picture on which PHP dies
	Slow                   map[string]time.Duration       // how long the shop takes to load a picture
	Work                   func(kind string)              // takes as long as the shop does
	Dies                   func(at string) bool           // PHP dies at this point of a write
	Before                 func(*http.Request, int) error // sees each request with its number
}

// New is a shop with a few categories and global attributes, and no product. At the end of the test
// it reports the requests that the schemas do not allow.
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
			t.Errorf("%d requests that the recorded schemas do not allow: %s", times, complaint)
		}
	})
	return f
}

// RoundTrip executes a request. The execution goes on when the request's context ends.
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
		if f.Notice != "" { // by then the status is sent: it is 200
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

// Requests is the log since it was last asked for.
func (f *Shop) Requests() []string {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	log := f.log
	f.log = nil
	return log
}

// local is a path below the shop's address.
func (f *Shop) local(path string) string {
	base, _ := url.Parse(f.Base) // the test's own
	return strings.TrimPrefix(path, base.Path)
}

// takes has the shop take its time.
func (f *Shop) takes(kind string) {
	if f.Work != nil {
		f.Work(kind)
	}
}

// dead reports whether PHP dies here. What was written until then stays.
func (f *Shop) dead(at string) bool { return f.Dies != nil && f.Dies(at) }
