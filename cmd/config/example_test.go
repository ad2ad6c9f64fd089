package config_test

import (
	"flag"
	"os"
	"testing"

	_ "github.com/pubsync/pubsync/shopadapter/catalog"
	_ "github.com/pubsync/pubsync/shopadapter/http"
	_ "github.com/pubsync/pubsync/shopadapter/medusa"
	_ "github.com/pubsync/pubsync/shopadapter/shopify"
	_ "github.com/pubsync/pubsync/shopadapter/vendure"
	_ "github.com/pubsync/pubsync/shopadapter/woocommerce"

	"github.com/pubsync/pubsync/cmd/config"
)

var update = flag.Bool("update", false, "write what the code says into config.example.env and other golden files")

// TestExampleEnv holds config.example.env to the code: every setting of the connector and of each
// adapter, its default and its meaning.
func TestExampleEnv(t *testing.T) {
	const file = "../../config.example.env"
	want := config.Example()
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the code says; go test ./cmd/config -run TestExampleEnv -update writes it", file)
	}
}
