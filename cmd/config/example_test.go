package config_test

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
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
// adapter, its default and its meaning. Uncommented as it stands it changes nothing.
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
	for _, v := range config.Variables() {
		if strings.TrimSpace(v.Meaning) == "" || strings.Contains(v.Meaning, "\n") {
			t.Errorf("%s means %q, want one line", v.Name, v.Meaning)
		}
	}
	whole := filepath.Join(t.TempDir(), "pubsync.env")
	text := strings.ReplaceAll(want, "#PUBSYNC_", "PUBSYNC_")
	if err := os.WriteFile(whole, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	e := config.Read(nil, []string{whole})
	c, faults := config.Load(e, config.ToLook)
	before, _ := config.Load(config.Environment{}, config.ToLook)
	if len(faults) > 0 || !reflect.DeepEqual(c.Rules, before.Rules) || !reflect.DeepEqual(c.Brake, before.Brake) {
		t.Errorf("uncommented as it stands it has the faults %v, and the rules %+v, want the defaults", faults, c.Rules)
	}
}
