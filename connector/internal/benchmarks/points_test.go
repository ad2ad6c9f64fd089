package benchmarks

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
	_ "github.com/pubsync/pubsync/store/postgrestest"
)

// marketplaces count their points in ways of their own.
func marketplaces() map[string]sandbox.Options {
	return map[string]sandbox.Options{
		"scalars-free":           {},
		"scalars-free/query-400": {QueryLimit: 400},
		"scalars-1":              {ScalarCost: 1},
		"scalars-1/query-400":    {ScalarCost: 1, QueryLimit: 400},
		"no-updated-at-sort":     {NoUpdatedAtSort: true},
		"mutations-10-more":      {ScalarCost: 1, FieldCosts: map[string]int{"publicationStatusUpdated": 11}},
		// some fields are dearer than any model of the client expects
		"unequal-fields": {ScalarCost: 1, FieldCosts: map[string]int{
			"translations": 5, "description": 3, "variants": 2, "options": 2, "dropshippingPrice": 2, "inventoryQuantity": 4,
			"transformedUrl": 6, "category": 3, "id": 0,
			"publicationStatusUpdated": 11,
		}},
	}
}

// catalogues fill a marketplace, each with listings of one kind but for the sandbox's own.
func catalogues() map[string]func(*sandbox.Marketplace) {
	uniform := func(size, variants, images int) func(*sandbox.Marketplace) {
		return func(box *sandbox.Marketplace) { addUniform(box, variants, images, size) }
	}
	return map[string]func(*sandbox.Marketplace){
		"mixed":            func(box *sandbox.Marketplace) { box.AddCatalogue(130) },
		"110 of 1 variant": uniform(110, 1, 0),
		"110 of 3":         uniform(110, 3, 4),
		"40 of 60":         uniform(40, 60, 12),
		"20 of 8":          uniform(20, 8, 1), // the run lists what its own reports move, too
	}
}

// each has every marketplace offer every catalogue. Without it each offers the mixed one, and the one whose
// fields differ most offers each.
var each = flag.Bool("points.each", false, "bound the cost of every catalogue at every marketplace, and of long days")

func long(t *testing.T) {
	t.Helper()
	if !*each {
		t.Skip("it takes many seconds of the processor: -points.each measures it")
	}
}

// TestImportCost bounds what an import costs, over the least that could do: one list, and one
// reading, one light look and one report a publication, where each field that is needed is asked
// for once.
func TestImportCost(t *testing.T) {
	t.Parallel()
	for name, options := range marketplaces() {
		for kind, fill := range catalogues() {
			if !*each && kind != "mixed" && name != "unequal-fields" {
				continue
			}
			t.Run(name+"/"+kind, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					box := sandbox.New(options)
					defer box.Close()
					fill(box)
					c := newRig(t, box.Transport()).connector()
					s, err := c.Once(t.Context(), desk.RunOptions{Patience: time.Hour})
					if err != nil || s.Throttled != 0 || s.Swept != len(box.Publications()) ||
						int(s.Reported) != len(box.Reports()) {
						t.Fatalf("got %+v, %v, want an import without a rejection", s, err)
					}
					ratio := points(box) / floor(t, options, fill, box.Reports())
					t.Logf("%.3f times the floor", ratio)
					if ratio > 1.10 {
						t.Errorf("got %.3f times the floor, want at most 1.10", ratio)
					}
				})
			})
		}
	}
}

// TestIdleRun bounds the requests of a run that finds nothing to do: the run before it has listed what the reports of
// an import moved.
func TestIdleRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		box := sandbox.New(sandbox.Options{})
		defer box.Close()
		box.AddSound(50)
		r := newRig(t, box.Transport())
		r.tune = func(o *connector.Options) { o.Variants = publication.VariantsAuto }
		for _, last := range []bool{false, false, true} {
			s, err := r.connector().Once(t.Context(), desk.RunOptions{Patience: time.Hour})
			if err != nil || s.Exit != desk.ExitOK {
				t.Fatalf("got %+v, %v, want Exit 0", s, err)
			}
			if last && (s.Swept != 0 || s.Requests > 4) {
				t.Errorf("got %+v, want at most 4 requests and nothing swept", s)
			}
			time.Sleep(2 * time.Minute)
		}
	})
}

// TestSharedBucket imports with two workers from one bucket, beside a client that keeps no book: it
// sends what it has, and again a second after each refusal.
func TestSharedBucket(t *testing.T) {
	long(t)
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		box := sandbox.New(sandbox.Options{})
		defer box.Close()
		ids := box.AddSound(200)
		var running, foreign sync.WaitGroup
		for range 2 {
			c := newRig(t, distant{box.Transport()}).connector()
			running.Go(func() {
				s, err := c.Once(t.Context(), desk.RunOptions{Patience: time.Hour})
				if err != nil || s.Throttled != 0 {
					t.Errorf("got %+v, %v, want no rejection", s, err)
				}
			})
		}
		done := make(chan struct{})
		foreign.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-done:
					return
				case <-time.After(time.Second):
					_, _ = send(t, box, content, map[string]any{"id": ids[i%len(ids)]}) // refused or not
				}
			}
		})
		running.Wait()
		close(done)
		foreign.Wait()
	})
}

// A distant transport is one whose requests are under way for 100 milliseconds, half of it there
// and half of it back.
type distant struct{ next http.RoundTripper }

func (d distant) RoundTrip(req *http.Request) (*http.Response, error) {
	time.Sleep(50 * time.Millisecond)
	resp, err := d.next.RoundTrip(req)
	time.Sleep(50 * time.Millisecond)
	return resp, err
}

func addUniform(box *sandbox.Marketplace, variants, images, size int) {
	options := []string{"red", "green", "blue", "black", "white", "grey", "pink", "brown"}
	for p := range size {
		l := &sandbox.Listing{
			Texts: map[string]sandbox.Text{
				"en": {Title: fmt.Sprint("Lamp ", p), Description: "<p>Gives light.</p>"},
				"nl": {Title: fmt.Sprint("Lamp ", p), Description: "<p>Geeft licht.</p>"},
			},
			Category: "HOME_LAMPS", Returns: new(true),
			Shipping: []sandbox.Shipping{{CountryGroup: "NL", FixedCosts: "4.95", VariableCosts: "0.50", Days: 3}},
		}
		for v := range variants {
			l.Variants = append(l.Variants, sandbox.Variant{
				Options: []sandbox.Option{
					{Name: "Color", Value: options[v%len(options)]},
					{Name: "Size", Value: fmt.Sprint(v)},
				},
				Cost: "10.00", MSRP: "24.95", SKU: fmt.Sprintf("L-%d-%d", p, v), Quantity: 7,
			})
		}
		for i := range images {
			l.Pictures = append(l.Pictures, sandbox.Picture{URL: fmt.Sprintf("https://images.example/%d/%d.png", p, i)})
		}
		box.Add(sandbox.Publication{Listing: l})
	}
}

// points is what a marketplace has charged.
func points(box *sandbox.Marketplace) (sum float64) {
	for _, r := range box.Requests() {
		sum += float64(r.ActualCost)
	}
	return sum
}

// The requests of the floor.
const (
	content = `query($id:ID!){publication(id:$id){status productUrl updatedAt` +
		` listing{id dropshippingReturns category{path name}` +
		` translations{en{title description} nl{title description}}` +
		` dropshippingShippingDetails{countryGroup fixedCosts variableCosts estimatedShippingDays}` +
		` variants(first:100){pageInfo{hasNextPage endCursor}` +
		` nodes{id title dropshippingPrice msrp sku ean inventoryQuantity inventoryPolicy options{name value}}}` +
		` images(first:100,sort:POSITION_ASC){pageInfo{hasNextPage endCursor} nodes{originalUrl}}` +
		` product{id brand weight length width height diameter volume` +
		` variants(first:100){pageInfo{hasNextPage endCursor}` +
		` nodes{sku brand caseQuantity madeIn leadTime availableAt tags filterMaterial` +
		` weight length width height diameter volume}}}}}}`
	look   = `query($id:ID!){publication(id:$id){updatedAt}}`
	report = `mutation($in:PublicationStatusUpdatedInput!){publicationStatusUpdated(input:$in)` +
		`{publication{status updatedAt} userErrors{field message}}}`
)

// floor is what a marketplace just like the one that was imported from charges for the least. It is
// asked by a client that reads each list in one page, and for which no query is too large.
func floor(t *testing.T, o sandbox.Options, fill func(*sandbox.Marketplace), reports []sandbox.Report) float64 {
	t.Helper()
	o.Limit, o.QueryLimit, o.RestoreRate = 1<<30, 1<<30, 1<<30
	box := sandbox.New(o)
	defer box.Close()
	fill(box)
	ask := func(query string, variables map[string]any) {
		t.Helper()
		if status, answer := send(t, box, query, variables); status != http.StatusOK ||
			bytes.Contains(answer, []byte(`"errors"`)) {
			t.Fatalf("got %d %s, want an answer without an error", status, answer)
		}
	}
	publications := box.Publications()
	ask(fmt.Sprintf(`{publications(first:%d,sort:ID_DESC){pageInfo{hasNextPage endCursor} nodes{id updatedAt status}}}`,
		len(publications)), nil)
	for _, p := range publications {
		ask(content, map[string]any{"id": p.ID})
	}
	for _, r := range reports {
		ask(look, map[string]any{"id": r.ID})
		address := "https://shop.example/p/" + r.ID
		ask(report, map[string]any{"in": map[string]any{"id": r.ID, "status": "success", "productUrl": address}})
	}
	return points(box)
}

// send sends one document.
func send(t *testing.T, box *sandbox.Marketplace, query string, variables map[string]any) (status int, answer []byte) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://marketplace.example/v1/graphql",
		bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+sandbox.DefaultToken)
	resp, err := box.Transport().RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if answer, err = io.ReadAll(resp.Body); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, answer
}
