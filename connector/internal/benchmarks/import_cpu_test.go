//go:build unix

package benchmarks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter"
	httpshop "github.com/pubsync/pubsync/shopadapter/http"
)

// BenchmarkImportCPU imports a list while the marketplace and the shop run in other processes, so
// that the processor time of this process is the connector's alone: cpu-µs/publication, with the
// store on the disk of the temporary folder.
//
// The yardstick is run beside each import, in the same process and against the same two others. It
// makes the three requests that no import can do without, reading the content, writing the product,
// and reporting, by a plain client of the standard library, decodes the content with encoding/json,
// and keeps nothing. x-bare is what the connector takes over that.
//
// Wanted: cpu-µs/publication of at most 1,500 on a machine that does nothing else.
func BenchmarkImportCPU(b *testing.B) {
	const n = 3000
	for _, concurrency := range []int{4, 16} {
		b.Run(fmt.Sprintf("concurrency-%d", concurrency), func(b *testing.B) {
			var worked, bare time.Duration
			for b.Loop() {
				b.StopTimer()
				took, yardstick := importElsewhere(b, n, concurrency)
				worked, bare = worked+took, bare+yardstick
				b.StartTimer()
			}
			b.ReportMetric(float64(worked.Microseconds())/(n*float64(b.N)), "cpu-µs/publication")
			b.ReportMetric(float64(bare.Microseconds())/(n*float64(b.N)), "bare-µs/publication")
			b.ReportMetric(worked.Seconds()/bare.Seconds(), "x-bare")
			b.ReportMetric(0, "ns/op") // of the sides that start, too
		})
	}
}

// importElsewhere imports n publications from a marketplace into a shop in other processes, and
// returns the processor time that it took here, and that of the yardstick.
func importElsewhere(b *testing.B, n, concurrency int) (worked, bare time.Duration) {
	market, endMarket := startSide(b, "marketplace", n)
	defer endMarket()
	shop, endShop := startSide(b, "shop", 0)
	defer endShop()
	r := newRig(b, nil)
	r.market.URL = market
	r.tune = func(o *connector.Options) { o.Concurrency, o.Shop = concurrency, remoteShop(b, shop) }
	c := r.connector()
	start := cpuTime(b)
	s, err := c.Once(b.Context(), desk.RunOptions{Patience: time.Minute})
	between := cpuTime(b)
	if err != nil || int(s.Created) != n || int(s.Reported) != n {
		b.Fatalf("import ended with %+v, %v", s, err)
	}
	importBare(b, market, shop, n, concurrency)
	return between - start, cpuTime(b) - between
}

// importBare makes the least requests that n publications need.
func importBare(b *testing.B, market, shop string, n, concurrency int) {
	transport := &http.Transport{MaxIdleConnsPerHost: concurrency}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	do := func(method, address string, body []byte, into any) {
		req, err := http.NewRequestWithContext(b.Context(), method, address, bytes.NewReader(body))
		if err != nil {
			b.Error(err)
			return
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer "+sandbox.DefaultToken)
		resp, err := client.Do(req)
		if err != nil {
			b.Error(err)
			return
		}
		defer resp.Body.Close()
		answer, err := io.ReadAll(resp.Body)
		if err == nil {
			err = json.Unmarshal(answer, into)
		}
		if err != nil || resp.StatusCode != http.StatusOK || bytes.Contains(answer, []byte(`"errors"`)) {
			b.Errorf("%s: %d %.200s %v", method, resp.StatusCode, answer, err)
		}
	}
	graphql := func(query string, variables map[string]any, into any) {
		body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
		if err != nil {
			b.Error(err)
		}
		do(http.MethodPost, market+"/v1/graphql", body, into)
	}
	var list struct {
		Data struct {
			Publications struct{ Nodes []struct{ ID string } }
		}
	}
	graphql(`{publications(first:100,sort:ID_DESC){nodes{id}}}`, nil, &list)
	nodes := list.Data.Publications.Nodes
	if len(nodes) == 0 {
		b.Fatal("nothing is listed")
	}
	var working sync.WaitGroup
	for worker := range concurrency {
		working.Go(func() {
			for i := worker; i < n; i += concurrency {
				id := nodes[i%len(nodes)].ID
				var content bareContent
				graphql(bareQuery, map[string]any{"id": id}, &content)
				var listing struct{ ID, URL string }
				product, err := json.Marshal(content.product())
				if err != nil {
					b.Error(err)
				}
				do(http.MethodPut, shop+httpshop.Path(shopadapter.PublicationID(id)), product, &listing)
				var taken struct{ Data any }
				graphql(
					bareReport,
					map[string]any{"in": map[string]any{"id": id, "status": "success", "productUrl": listing.URL}},
					&taken,
				)
			}
		})
	}
	working.Wait()
}

const (
	bareQuery = `query($id:ID!){publication(id:$id){status productUrl updatedAt` +
		` listing{id dropshippingReturns category{path name}` +
		` translations{en{title description} nl{title description}}` +
		` dropshippingShippingDetails{countryGroup fixedCosts variableCosts estimatedShippingDays}` +
		` variants(first:20){pageInfo{hasNextPage endCursor} nodes{id title dropshippingPrice msrp sku ean` +
		` inventoryQuantity inventoryPolicy options{name value}}}` +
		` images(first:10,sort:POSITION_ASC){pageInfo{hasNextPage endCursor}` +
		` nodes{originalUrl}} product{id brand weight length width height diameter volume variants(first:20){` +
		`pageInfo{hasNextPage endCursor} nodes{sku brand caseQuantity madeIn leadTime availableAt tags filterMaterial` +
		` weight length width height diameter volume}}}}}}`
	bareReport = `mutation($in:PublicationStatusUpdatedInput!){publicationStatusUpdated(input:$in)` +
		`{publication{status updatedAt} userErrors{field message}}}`
)

// bareContent is what the yardstick decodes of a publication.
type bareContent struct {
	Data struct {
		Publication struct {
			Listing struct {
				Translations map[string]struct{ Title, Description string }
				Variants     struct {
					Nodes []struct{ ID, Title, DropshippingPrice, MSRP, SKU, EAN string }
				}
				Images struct {
					Nodes []struct{ TransformedURL string }
				}
			}
		}
	}
}

// product is what the yardstick puts into the shop.
func (c bareContent) product() any {
	l := c.Data.Publication.Listing
	return map[string]any{
		"title":       fmt.Sprint(l.Translations["en"].Title),
		"description": l.Translations["en"].Description,
		"variants":    l.Variants.Nodes,
		"images":      l.Images.Nodes,
	}
}
