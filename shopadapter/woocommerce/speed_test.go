package woocommerce

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/race"
	"github.com/pubsync/pubsync/shopadapter/shopadaptertest"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/fakeshop"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
)

// A handWritten client makes products with as few requests as there can be: the product on sale
// with its pictures, then its variations. It recognises nothing, and a visitor meets half of a
// product.
type handWritten struct {
	base   string
	client http.Client
}

func (h *handWritten) make(p shopadapter.Product) error {
	body := map[string]any{
		"name": p.Title, "description": p.Description, "status": "publish", "sku": "hand-" + string(p.ID),
	}
	var images []any
	for _, address := range p.Images {
		images = append(images, map[string]any{"src": address})
	}
	body["images"] = images
	if len(p.Variants) == 1 {
		v := p.Variants[0]
		body["sku"], body["regular_price"], body["manage_stock"], body["stock_quantity"] = v.SKU, v.Price, true, v.Quantity
		_, err := h.post("/products", body)
		return err
	}
	body["type"] = "variable"
	var attributes, variations []any
	for i, name := range p.Options {
		var values []string
		for _, v := range p.Variants {
			values = append(values, v.Options[i].Value)
		}
		attributes = append(attributes, map[string]any{"name": name, "variation": true, "visible": true, "options": values})
	}
	body["attributes"] = attributes
	id, err := h.post("/products", body)
	if err != nil {
		return err
	}
	for _, v := range p.Variants {
		var options []any
		for _, o := range v.Options {
			options = append(options, map[string]any{"name": o.Name, "option": o.Value})
		}
		variations = append(variations, map[string]any{
			"sku": v.SKU, "regular_price": v.Price, "manage_stock": true, "stock_quantity": v.Quantity, "attributes": options,
		})
	}
	_, err = h.post(fmt.Sprintf("/products/%v/variations/batch", id), map[string]any{"create": variations})
	return err
}

func (h *handWritten) post(path string, body any) (id any, err error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequest(http.MethodPost, h.base+rest.Root+path, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	req.SetBasicAuth(fakeshop.Key, fakeshop.Secret)
	req.Header.Set("User-Agent", "by hand")
	resp, err := h.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode/100 != 2 {
		return nil, fmt.Errorf("HTTP %d: %s, %w", resp.StatusCode, answer, err)
	}
	var got map[string]any
	err = json.Unmarshal(answer, &got)
	return got["id"], err
}

// atATime calls do for each product, by so many workers, and tells how long that took.
func atATime(workers int, products []shopadapter.Product, do func(shopadapter.Product) error) (time.Duration, error) {
	start := time.Now()
	var next atomic.Int32
	var failed atomic.Pointer[error]
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(products); i = int(next.Add(1)) - 1 {
				if err := do(products[i]); err != nil {
					failed.Store(&err)
				}
			}
		})
	}
	wg.Wait()
	if err := failed.Load(); err != nil {
		return 0, *err
	}
	return time.Since(start), nil
}

// The fake takes the time that a real shop with two cores was measured to take. There an import is
// hardly slower than a plain client that takes no care at all. The clock is the test's.
func TestSpeedBesideAHandWrittenClient(t *testing.T) {
	if testing.Short() {
		t.Skip("a comparison")
	}
	t.Parallel()
	rows := []struct {
		products, variants, pictures, workers int
		least                                 float64
	}{
		{60, 3, 2, 4, 0.90}, // as the connector comes
		{40, 3, 2, 8, 0.90},
		{20, 10, 5, 4, 0.95},
		{40, 1, 2, 4, 0.88},
		{40, 1, 0, 4, 0.55}, // by hand it is one request: here a visitor never meets a product without a price
		{20, 3, 2, 2, 0.90},
		{20, 3, 2, 1, 0.90},
	}
	for _, tt := range rows[:len(rows)/race.Stride] {
		t.Run(
			fmt.Sprintf("%d variants, %d pictures, %d at a time", tt.variants, tt.pictures, tt.workers),
			func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var products []shopadapter.Product
					for i := range tt.products {
						p := sample(fmt.Sprint("speed-", i), tt.variants)
						for n := range tt.pictures {
							p.Images = append(p.Images, shopadaptertest.Image(10*i+n))
						}
						products = append(products, p)
					}
					shop := func() *fakeShop {
						f := newFakeShop(t)
						f.Work = (&server{cores: make(chan struct{}, 2)}).work
						return f
					}
					f := shop()
					f.Lenient = true
					hand := &handWritten{base: f.Base, client: http.Client{Transport: f}}
					byHand, err := atATime(tt.workers, products, hand.make)
					if err != nil {
						t.Fatal(err)
					}
					f = shop()
					a := f.connect(t, realPatience(), nil)
					if err := a.Check(t.Context()); err != nil {
						t.Fatal(err)
					}
					f.Requests()
					ours, err := atATime(tt.workers, products, func(p shopadapter.Product) error {
						_, err := a.Publish(t.Context(), refOf(p), p, shopadapter.AllFields)
						return err
					})
					if err != nil {
						t.Fatal(err)
					}
					for _, p := range products {
						if broken := f.inconsistent(p); broken != "" {
							t.Errorf("%s: %s", p.ID, broken)
						}
					}
					log := f.Requests()
					ratio := byHand.Seconds() / ours.Seconds()
					t.Logf(
						"by hand %.2f products/s, the adapter %.2f: ratio %.3f; %.2f requests a product",
						float64(tt.products)/byHand.Seconds(),
						float64(tt.products)/ours.Seconds(),
						ratio,
						float64(len(log))/float64(tt.products),
					)
					if ratio < tt.least {
						t.Errorf("the ratio is %.3f, want %.2f", ratio, tt.least)
					}
				})
			},
		)
	}
}
