package sandbox_test

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// A marketplace on a port, one product on its import list, and a client that reads it.
func ExampleStart() {
	market := sandbox.Start(sandbox.Options{})
	defer market.Close()
	market.Add(sandbox.Publication{ID: "one", Listing: &sandbox.Listing{
		Texts: map[string]sandbox.Text{"en": {Title: "Stoneware mug, 30 cl"}},
	}})

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
	fmt.Println(resp.Status, market.Requests()[0].ActualCost, "points")
	// Output: 200 OK 4 points
}
