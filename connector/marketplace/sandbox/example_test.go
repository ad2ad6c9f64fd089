package sandbox_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// A marketplace on a port, one product on its import list, and a client that reads it.
func ExampleStart() {
	market := sandbox.Start(sandbox.Options{})
	defer market.Close()
	market.Add(sandbox.Publication{ID: "one", Listing: sandbox.Named("mug").Listing})

	query := `{"query": "{ publication(id: \"one\") { status listing { translations { en { title } } } } }"}`
	req, err := http.NewRequest(http.MethodPost, market.URL+"/v1/graphql", strings.NewReader(query))
	if err != nil {
		fmt.Println(err)
		return
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+sandbox.DefaultToken)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, _, _ := strings.Cut(string(body), `,"extensions"`)
	fmt.Println(answer)
	fmt.Println(market.Requests()[0].RequestedCost, "points")
	// Output:
	// {"data":{"publication":{"status":"syncing","listing":{"translations":{"en":{"title":"Stoneware mug, 30 cl"}}}}}
	// 4 points
}

// A change that falls between the reading of a product and the report of its success, which a
// connector must not lose.
func ExampleMarketplace_OnContentRead() {
	market := sandbox.New(sandbox.Options{})
	defer market.Close()
	market.Add(sandbox.Publication{ID: "one", Listing: sandbox.Named("mug").Listing})
	market.OnContentRead(func(id string) {
		if err := market.SetPrice(id, "", "5.20", "12.95"); err != nil {
			fmt.Println(err)
		}
	})

	client := &http.Client{Transport: market.Transport()}
	query := `{"query": "{ publication(id: \"one\") { listing { variants(first: 1) { nodes { msrp } } } } }"}`
	for range 2 {
		req, err := http.NewRequest(http.MethodPost, "http://marketplace/v1/graphql", strings.NewReader(query))
		if err != nil {
			fmt.Println(err)
			return
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer "+sandbox.DefaultToken)
		resp, err := client.Do(req)
		if err != nil {
			fmt.Println(err)
			return
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			fmt.Println(err)
		}
		answer, _, _ := strings.Cut(string(body), `,"extensions"`)
		fmt.Println(answer)
	}
	// Output:
	// {"data":{"publication":{"listing":{"variants":{"nodes":[{"msrp":"11.95"}]}}}}
	// {"data":{"publication":{"listing":{"variants":{"nodes":[{"msrp":"12.95"}]}}}}
}
