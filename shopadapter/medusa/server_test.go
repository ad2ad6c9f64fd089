//go:build unix

package medusa_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter/internal/nodeserver"
)

// envDir is the environment variable that names the folder in which e2e/install.sh has installed a
// Medusa.
const envDir = "PUBSYNC_TEST_MEDUSA"

// A server is a real Medusa with a database of its own, both on loopback.
type server struct {
	url, key string
	office   *office
}

// boot starts a PostgreSQL and a Medusa, or skips the test where none is installed. Both end with
// the test.
func boot(t *testing.T) *server {
	t.Helper()
	dir := os.Getenv(envDir)
	if dir == "" {
		t.Skipf("%s does not name a folder in which e2e/install.sh has installed a Medusa", envDir)
	}
	for _, name := range []string{"shop.cjs", "medusa-config.js", "package-lock.json"} {
		installed, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		wanted, err := os.ReadFile(filepath.Join("e2e/fixture", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(installed, wanted) {
			t.Fatalf("%s in %s is not the one of this repository: run install.sh again", name, dir)
		}
	}
	keyFile := filepath.Join(t.TempDir(), "key")
	running, err := nodeserver.Start(t.Context(), nodeserver.Command{
		Name: "medusa", Dir: dir, Script: filepath.Join(dir, "shop.cjs"), Patience: 5 * time.Minute,
		Env: []string{
			"SHOP_DATABASE=" + database(t), "SHOP_SECRET=" + rand.Text(), "SHOP_KEY_FILE=" + keyFile,
			"NODE_ENV=test",
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(running.Stop)
	key, err := os.ReadFile(keyFile)
	if err != nil {
		t.Fatal(err)
	}
	s := &server{url: running.URL, key: string(key)}
	plain := &http.Transport{}
	t.Cleanup(plain.CloseIdleConnections)
	s.office = &office{base: s.url, key: s.key, client: &http.Client{Transport: plain}}
	return s
}

// database starts a PostgreSQL in a temporary folder and returns the address of its only database.
// It never runs as root: PostgreSQL refuses that.
func database(t *testing.T) string {
	t.Helper()
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		t.Fatalf("no PostgreSQL is installed (Debian's package is postgresql): %v", err)
	}
	bin := filepath.Dir(found[len(found)-1])
	folder, err := os.MkdirTemp("", "pubsync-medusa-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	attributes := &syscall.SysProcAttr{Setpgid: true}
	if os.Geteuid() == 0 {
		account, err := user.Lookup("postgres")
		if err != nil {
			t.Fatal(err)
		}
		uid, _ := strconv.Atoi(account.Uid)
		gid, _ := strconv.Atoi(account.Gid)
		attributes.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		if err := os.Chown(folder, uid, gid); err != nil {
			t.Fatal(err)
		}
	}
	data := filepath.Join(folder, "data")
	initialise := exec.CommandContext(
		t.Context(), filepath.Join(bin, "initdb"), "-D", data, "-A", "trust", "-U", "shop", "--no-sync",
		"--no-instructions",
	)
	initialise.SysProcAttr, initialise.Dir = attributes, folder
	if text, err := initialise.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v: %s", err, text)
	}
	port := freePort(t)
	// The shell ends PostgreSQL when its standard input ends, also when the test binary was killed.
	process := exec.Command(
		"sh", "-c", `"$@" >log 2>&1 & pid=$!; cat >/dev/null; kill -INT $pid; wait $pid`, "sh",
		filepath.Join(bin, "postgres"), "-D", data, "-p", port, "-c", "listen_addresses=127.0.0.1",
		"-c", "unix_socket_directories="+folder, "-c", "fsync=off", "-c", "synchronous_commit=off",
		"-c", "full_page_writes=off",
	)
	process.SysProcAttr, process.Dir = attributes, folder
	input, err := process.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = input.Close()
		_ = process.Wait()
	})
	for range 600 {
		if connection, err := net.Dial("tcp", "127.0.0.1:"+port); err == nil {
			_ = connection.Close()
			return "postgres://shop@127.0.0.1:" + port + "/postgres"
		}
		time.Sleep(100 * time.Millisecond)
	}
	log, _ := os.ReadFile(filepath.Join(folder, "log"))
	t.Fatalf("PostgreSQL was not ready: %s", log)
	return ""
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// A stocked shop is what a new Medusa becomes when its owner has set it up for selling.
type stocked struct {
	Store, Channel, Location, Region, Publishable string
}

// A step is one thing that a new Medusa lacks.
type step struct {
	lacks string // what the adapter says of it; "" for what it has no need of
	mend  func() error
}

// steps set a new Medusa up for selling.
func (s *server) steps(ctx context.Context, shop *stocked) []step {
	post := func(path string, in object, member string, made any) error {
		var answer map[string]json.RawMessage
		if err := s.office.ask(ctx, http.MethodPost, "/admin/"+path, in, &answer); err != nil || member == "" {
			return err
		}
		return json.Unmarshal(answer[member], made)
	}
	var location, region, key struct {
		ID    string `json:"id"`
		Token string `json:"token"`
	}
	return []step{
		{"no stock location serves", func() error {
			var stores struct {
				Stores []struct {
					ID      string `json:"id"`
					Channel string `json:"default_sales_channel_id"`
				} `json:"stores"`
			}
			if err := s.office.ask(ctx, http.MethodGet, "/admin/stores", nil, &stores); err != nil {
				return err
			}
			shop.Store, shop.Channel = stores.Stores[0].ID, stores.Stores[0].Channel
			if err := post("stock-locations", object{"name": "Warehouse"}, "stock_location", &location); err != nil {
				return err
			}
			shop.Location = location.ID
			return post(
				"stock-locations/"+location.ID+"/sales-channels", object{"add": []string{shop.Channel}}, "", nil,
			)
		}},
		{"no shipping profile", func() error {
			return post("shipping-profiles", object{"name": "Default", "type": "default"}, "", nil)
		}},
		{"tax inclusive", func() error {
			return post("stores/"+shop.Store, object{
				"supported_locales": []object{{"locale_code": "en-US"}, {"locale_code": "nl-NL"}},
				"supported_currencies": []object{
					{"currency_code": "eur", "is_default": true, "is_tax_inclusive": true},
				},
			}, "", nil)
		}},
		{"", func() error {
			if err := post(
				"regions", object{"name": "Europe", "currency_code": "eur", "countries": []string{"nl"}}, "region", &region,
			); err != nil {
				return err
			}
			shop.Region = region.ID
			return post(
				"tax-regions",
				object{
					"country_code":     "nl",
					"provider_id":      "tp_system",
					"default_tax_rate": object{"rate": 21, "code": "nl", "name": "BTW"},
				},
				"",
				nil,
			)
		}},
		{"", func() error {
			if err := post("api-keys", object{"title": "storefront", "type": "publishable"}, "api_key", &key); err != nil {
				return err
			}
			shop.Publishable = key.Token
			return post("api-keys/"+key.ID+"/sales-channels", object{"add": []string{shop.Channel}}, "", nil)
		}},
	}
}
