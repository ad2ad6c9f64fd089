package benchmarks

import (
	"fmt"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/run"
)

// BenchmarkImportCost imports catalogues of one kind of listing from marketplaces that count
// differently. It reports the points over the least that could do: one list, one reading, one light
// look and one report a publication, each field that is needed asked for once.
//
// Wanted: x-floor of at most 1.10 everywhere, throttled 0.
func BenchmarkImportCost(b *testing.B) {
	onUniform(b, func(b *testing.B, o sandbox.Options, variants, images int) {
		var spent, throttled float64
		for b.Loop() {
			inBenchBubble(
				b,
				func(t *testing.T) { spent, throttled = importUniform(t, o, variants, images, uniformSize) },
			)
		}
		b.ReportMetric(spent/floorUniform(b, o, variants, images, uniformSize), "x-floor")
		b.ReportMetric(throttled, "throttled")
	})
}

// BenchmarkShortImportCost imports lists that are so short that the run lists what its own reports
// move, too. Its floor is that of BenchmarkImportCost.
//
// Wanted: x-floor of at most 1.10 everywhere, also where the account and the tree of categories
// show, which are read once a day; throttled 0.
func BenchmarkShortImportCost(b *testing.B) {
	for _, size := range []int{20, 60, run.MaxEchoes} {
		for _, s := range countings() {
			for _, c := range []struct{ variants, images int }{{1, 0}, {3, 4}, {8, 1}, {60, 12}} {
				b.Run(
					fmt.Sprintf("%d-publications/%s/%d-variants/%d-images", size, s.name, c.variants, c.images),
					func(b *testing.B) {
						var spent, throttled float64
						for b.Loop() {
							inBenchBubble(
								b,
								func(t *testing.T) { spent, throttled = importUniform(t, s.options, c.variants, c.images, size) },
							)
						}
						b.ReportMetric(spent/floorUniform(b, s.options, c.variants, c.images, size), "x-floor")
						b.ReportMetric(throttled, "throttled")
						b.ReportMetric(0, "ns/op") // the bubble's clock is not the machine's
					},
				)
			}
		}
	}
}

// A counting is a marketplace that counts its points in a way of its own.
type counting struct {
	name    string
	options sandbox.Options
}

func countings() []counting {
	return []counting{
		{"scalars-free", sandbox.Options{}},
		{"scalars-1", sandbox.Options{ScalarCost: 1}},
		{"mutations-10-more", sandbox.Options{ScalarCost: 1, MutationCost: 10}},
		{"unequal-fields", unequal()},
	}
}

// onUniform measures on marketplaces that count differently, with catalogues of one kind of
// listing.
func onUniform(b *testing.B, measure func(b *testing.B, o sandbox.Options, variants, images int)) {
	for _, s := range countings() {
		for _, variants := range []int{1, 3, 8, 60} {
			for _, images := range []int{0, 1, 4, 12} {
				b.Run(fmt.Sprintf("%s/%d-variants/%d-images", s.name, variants, images), func(b *testing.B) {
					measure(b, s.options, variants, images)
					b.ReportMetric(0, "ns/op") // the bubble's clock is not the machine's
				})
			}
		}
	}
}

// unequal are fields of unequal cost, some of them dearer than any model of the client expects, and
// mutations too.
func unequal() sandbox.Options {
	return sandbox.Options{ScalarCost: 1, MutationCost: 10, FieldCosts: sandbox.FieldCosts{
		"translations": 5, "description": 3, "variants": 2, "options": 2, "dropshippingPrice": 2, "inventoryQuantity": 4,
		"transformedUrl": 6, "category": 3, "id": 0,
	}}
}

// uniformSize is how many publications an import has that leaves it to the next run to list the
// entries that its reports move. It is small, so that the cost of the start shows in the result.
const uniformSize = run.MaxEchoes + 10

// detailsOf asks for the details of a listing's product; the page of its variants is left open.
const detailsOf = `product{id brand weight length width height diameter volume variants(first:%d){%s nodes{` +
	`sku brand caseQuantity madeIn leadTime availableAt tags filterMaterial weight length width height diameter volume}}}`

func addUniform(box *sandbox.Marketplace, variants, images, size int) {
	options := []string{"red", "green", "blue", "black", "white", "grey", "pink", "brown"}
	for p := range size {
		l := &sandbox.Listing{
			Texts: map[string]sandbox.Text{
				"en": {Title: fmt.Sprint("Lamp ", p), Description: "<p>Gives light.</p>"},
				"nl": {Title: fmt.Sprint("Lamp ", p), Description: "<p>Geeft licht.</p>"},
			},
			Category: "HOME_LAMPS", Returns: "true",
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

// importUniform imports such a catalogue as `run --once` does, and returns the points charged and
// the requests refused for want of points.
func importUniform(t *testing.T, o sandbox.Options, variants, images, size int) (spent, throttled float64) {
	t.Helper()
	box := sandbox.New(o)
	defer box.Close()
	addUniform(box, variants, images, size)
	s, err := newRig(t, box.Transport()).connector().Once(t.Context(), desk.RunOptions{Patience: time.Hour})
	if err != nil || s.Swept != size || s.Created != int64(size) || s.Reported != int64(size) {
		t.Fatalf("import ended with %+v, %v", s, err)
	}
	for _, total := range box.Totals() {
		spent += float64(total.ActualCost)
		throttled += float64(total.Throttled)
	}
	return spent, throttled
}

// floorUniform is what a marketplace just like the one that was imported from charges for the
// floor. It is asked by a client that knows beforehand how much there is of everything, and for
// which no query is too large.
func floorUniform(b *testing.B, o sandbox.Options, variants, images, size int) float64 {
	b.Helper()
	o.Limit, o.QueryLimit, o.RestoreRate = 1<<30, 1<<30, 1<<30
	box := sandbox.New(o)
	defer box.Close()
	addUniform(box, variants, images, size)
	const pageInfo = `pageInfo{hasNextPage endCursor}`
	ask(
		b,
		box,
		fmt.Sprintf(`{publications(first:%d,sort:ID_DESC){%s nodes{id updatedAt status}}}`, size, pageInfo),
		nil,
	)
	content := fmt.Sprintf(
		`query($id:ID!){publication(id:$id){status productUrl updatedAt`+
			` listing{id dropshippingReturns category{path name}`+
			` translations{en{title description} nl{title description}}`+
			` dropshippingShippingDetails{countryGroup fixedCosts variableCosts estimatedShippingDays}`+
			` variants(first:%d){%s nodes{id title dropshippingPrice msrp sku ean`+
			` inventoryQuantity inventoryPolicy options{name value}}}`+
			` images(first:%d,sort:POSITION_ASC){%s nodes{originalUrl}} `+detailsOf+`}}}`,
		variants,
		pageInfo,
		max(images, 1),
		pageInfo,
		variants,
		pageInfo,
	)
	look := `query($id:ID!){publication(id:$id){updatedAt}}`
	report := `mutation($in:PublicationStatusUpdatedInput!){publicationStatusUpdated(input:$in)` +
		`{publication{status updatedAt} userErrors{field message}}}`
	for _, p := range box.Publications() {
		ask(b, box, content, map[string]any{"id": p.ID})
		ask(b, box, look, map[string]any{"id": p.ID})
		ask(
			b,
			box,
			report,
			map[string]any{
				"in": map[string]any{"id": p.ID, "status": "success", "productUrl": "https://shop.example/p/" + p.ID},
			},
		)
	}
	total := 0.0
	for _, t := range box.Totals() {
		total += float64(t.ActualCost)
	}
	return total
}
