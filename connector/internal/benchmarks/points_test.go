package benchmarks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// BenchmarkImportPoints imports the sandbox's catalogue and reports the points that it cost over
// the least that could do: one light listing, each needed field of each publication asked for once,
// one report each. The first figure, x-floor, counts pageInfo among the needed fields, since
// without it nobody knows that a nested list is whole; x-bare does not. Where the points above the
// floor went is given by the kind of request, in percent of the floor; the listing's share is the
// second listing, of the entries that the reports moved.
//
// Wanted: x-floor of at most 1.10.
func BenchmarkImportPoints(b *testing.B) {
	for _, s := range []struct {
		name    string
		options sandbox.Options
	}{
		{"scalars-free/query-400", sandbox.Options{QueryLimit: 400}},
		{"scalars-free/query-1000", sandbox.Options{}},
		{"scalars-free/query-2000", sandbox.Options{Limit: 2000, RestoreRate: 100}},
		{"scalars-free/page-info-multiplied", sandbox.Options{PageInfoMultiplied: true}},
		{"scalars-cost-1/query-400", sandbox.Options{ScalarCost: 1, QueryLimit: 400}},
		{"scalars-cost-1/query-1000", sandbox.Options{ScalarCost: 1}},
		{"scalars-cost-1/query-2000", sandbox.Options{ScalarCost: 1, Limit: 2000, RestoreRate: 100}},
		{"no-updated-at-sort", sandbox.Options{NoUpdatedAtSort: true}},
		{"fast-bucket", sandbox.Options{RestoreRate: 2000}},
	} {
		b.Run(s.name, func(b *testing.B) {
			var bill map[sandbox.Kind]sandbox.Total
			var reported []string
			for b.Loop() {
				inBenchBubble(b, func(t *testing.T) { bill, reported = importPoints(t, s.options) })
			}
			floor, least := floorPoints(b, s.options, reported, "pageInfo{hasNextPage endCursor}")
			_, bare := floorPoints(b, s.options, reported, "")
			total := 0.0
			for kind, t := range bill {
				points := float64(t.ActualCost)
				total += points
				if kind != sandbox.KindIntrospection {
					b.ReportMetric(100*(points-floor[kind])/least, string(kind)+"-%")
				}
			}
			b.ReportMetric(total/least, "x-floor")
			b.ReportMetric(total/bare, "x-bare")
			b.ReportMetric(0, "ns/op") // the bubble's clock is not the machine's
		})
	}
}

// catalogueSize is the publications of an import: some rounds through the catalogue, and more than
// one page of the list.
const catalogueSize = 130

// importPoints imports the catalogue as `run --once` does. It returns what the marketplace charged,
// and the publications reported on.
func importPoints(t *testing.T, o sandbox.Options) (bill map[sandbox.Kind]sandbox.Total, reported []string) {
	t.Helper()
	box := sandbox.New(o)
	defer box.Close()
	box.AddCatalogue(catalogueSize)
	s, err := newRig(t, box.Transport()).connector().Once(t.Context(), desk.RunOptions{Patience: 10 * time.Minute})
	if err != nil || s.Throttled != 0 || s.Swept != catalogueSize || int(s.Reported) != len(box.Reports()) {
		t.Fatalf("import ended with %+v, %v", s, err)
	}
	for _, r := range box.Reports() {
		reported = append(reported, r.ID)
	}
	return box.Totals(), reported
}

// floorPoints is what the marketplace charges for the floor, by the kind of request and in all,
// asked of a marketplace just like the one that was imported from. The floor knows beforehand how
// much there is of everything, and reads each list in one page.
func floorPoints(
	b *testing.B,
	o sandbox.Options,
	reported []string,
	pageInfo string,
) (points map[sandbox.Kind]float64, total float64) {
	b.Helper()
	o.Limit, o.QueryLimit = 1<<30, 1<<30
	box := sandbox.New(o)
	defer box.Close()
	ids := box.AddCatalogue(catalogueSize)
	ask(
		b,
		box,
		fmt.Sprintf(`{publications(first:%d,sort:ID_DESC){%s nodes{id updatedAt status}}}`, catalogueSize, pageInfo),
		nil,
	)
	content := `query($id:ID!){publication(id:$id){status productUrl updatedAt` +
		` listing{id dropshippingReturns category{path name}` +
		` translations{en{title description} nl{title description}}` +
		` dropshippingShippingDetails{countryGroup fixedCosts variableCosts estimatedShippingDays}` +
		` variants(first:100){` + pageInfo +
		` nodes{id title dropshippingPrice msrp sku ean inventoryQuantity inventoryPolicy options{name value}}}` +
		` images(first:100,sort:POSITION_ASC){` + pageInfo + ` nodes{originalUrl}} ` +
		fmt.Sprintf(detailsOf, 100, pageInfo) + `}}}`
	for _, id := range ids {
		ask(b, box, content, map[string]any{"id": id})
	}
	report := `mutation($in:PublicationStatusUpdatedInput!){publicationStatusUpdated(input:$in)` +
		`{publication{status updatedAt} userErrors{field message}}}`
	for _, id := range reported {
		ask(
			b,
			box,
			report,
			map[string]any{
				"in": map[string]any{"id": id, "status": "success", "productUrl": "https://shop.example/p/" + id},
			},
		)
	}
	points = map[sandbox.Kind]float64{}
	for kind, t := range box.Totals() {
		points[kind] = float64(t.ActualCost)
		total += points[kind]
	}
	return points, total
}

// ask sends one document, which must be answered without an error.
func ask(b *testing.B, box *sandbox.Marketplace, query string, variables map[string]any) {
	b.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		b.Fatal(err)
	}
	req, err := http.NewRequestWithContext(
		b.Context(),
		http.MethodPost,
		"http://marketplace.example/v1/graphql",
		bytes.NewReader(body),
	)
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+sandbox.DefaultToken)
	resp, err := box.Transport().RoundTrip(req)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || bytes.Contains(answer, []byte(`"errors"`)) {
		b.Fatalf("floor: %d %s %v", resp.StatusCode, answer, err)
	}
}
