package sandbox

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// benchmark sends the same body again and again, in process.
func benchmark(b *testing.B, m *Marketplace, body func(i int) string) {
	b.Helper()
	defer m.Close()
	rt := m.Transport()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		req, err := http.NewRequestWithContext(
			b.Context(), http.MethodPost, "http://m.example/graphql", strings.NewReader(body(i)),
		)
		if err != nil {
			b.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer "+DefaultToken)
		resp, err := rt.RoundTrip(req)
		switch {
		case err != nil:
			b.Fatalf("%v %v; err: got %v, want nil", resp, err, err)
		case resp.StatusCode != http.StatusOK:
			b.Fatalf("%v %v; resp.StatusCode: got %v, want %v", resp, err, resp.StatusCode, http.StatusOK)
		}
	}
}

func BenchmarkLook(b *testing.B) {
	m := New(Options{Limit: 1 << 30})
	ids := m.AddSound(1000)
	benchmark(b, m, func(i int) string {
		return fmt.Sprintf(
			`{"query":"query($id: ID!) { publication(id: $id) { id updatedAt status } }","variables":{"id":%q}}`,
			ids[i%1000],
		)
	})
}

func BenchmarkReport(b *testing.B) {
	m := New(Options{Limit: 1 << 30})
	ids := m.AddSound(20_000)
	const query = `mutation($i: PublicationStatusUpdatedInput!) { publicationStatusUpdated(input: $i) { publication ` +
		`{ updatedAt } userErrors { field message } } }`
	benchmark(b, m, func(i int) string {
		return fmt.Sprintf(
			`{"query":"`+query+`","variables":{"i":{"id":%q,"status":"success","productUrl":"https://shop.example/p"}}}`,
			ids[i%20_000],
		)
	})
}

func BenchmarkListPageOfTwentyThousand(b *testing.B) {
	m := New(Options{Limit: 1 << 30})
	m.AddSound(20_000)
	after := cursor{order: byTime, at: m.byUpdate[10_000].UpdatedAt.UnixMicro(), id: m.byUpdate[10_000].ID}.encode()
	benchmark(b, m, func(int) string {
		return `{"query":"{ publications(first: 100, sort: UPDATED_AT_ASC, after: \"` + after +
			`\") { nodes { id updatedAt status } pageInfo { hasNextPage endCursor } } }"}`
	})
}

func BenchmarkContent(b *testing.B) {
	m := New(Options{Limit: 1 << 30})
	ids := m.AddSound(28)
	benchmark(b, m, func(i int) string {
		return `{"query":"query($id: ID!) { publication(id: $id) { id updatedAt listing { translations { en { title ` +
			`description } nl { title description } } ` +
			`variants(first: 100) { nodes { id title options { name value } dropshippingPrice msrp sku ean ` +
			`inventoryQuantity inventoryPolicy } } ` +
			`images(first: 10) { nodes { transformedUrl(width: 800, ` +
			`height: 800, method: FILL) } } } } }","variables":{"id":"` + ids[i%28] + `"}}`
	})
}

func BenchmarkPicture(b *testing.B) {
	for b.Loop() {
		drawPicture(Picture{Colour: "c4683f", Shape: Vase}, 0.3, 1, pictureSide, pictureSide)
	}
}
