package config_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/shopadapter"
	_ "github.com/pubsync/pubsync/shopadapter/catalog"
	_ "github.com/pubsync/pubsync/shopadapter/http"
	_ "github.com/pubsync/pubsync/shopadapter/medusa"
	_ "github.com/pubsync/pubsync/shopadapter/shopify"
	_ "github.com/pubsync/pubsync/shopadapter/vendure"
	_ "github.com/pubsync/pubsync/shopadapter/woocommerce"
)

// account is the environment of an account with a file.
func account(t *testing.T, process []string, text string) config.Environment {
	t.Helper()
	file := filepath.Join(t.TempDir(), "shop-one.env")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	e, err := config.Read(append(process, "PUBSYNC_ACCOUNTS_DIR="+filepath.Dir(file)), nil).Of("shop-one")
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// What an account's file sets wins over what the process sets for all accounts.
func TestAnAccountsFileWins(t *testing.T) {
	e := account(t, []string{"PUBSYNC_SHOP_SKU_PREFIX=all-", "PUBSYNC_STOCK_BUFFER=2", "PUBSYNC_ADMIN_LISTEN=off"},
		"PUBSYNC_SHOP_SKU_PREFIX=one-\nPUBSYNC_MARKETPLACE_TOKEN=a-token-of-one\n")
	c, faults := config.Load(e, config.ToLook)
	if len(faults) > 0 || c.ShopSKUPrefix != "one-" || c.StockBuffer != 2 || c.AdminListen != "" ||
		c.Account != "shop-one" {
		t.Errorf("got the prefix %q, the buffer %d, a listener on %q, the account %q and the faults %v, "+
			"want the account's prefix, the process's buffer and no listener",
			c.ShopSKUPrefix, c.StockBuffer, c.AdminListen, c.Account, faults)
	}
}

// At the address of all accounts a webhook is known by the marketplace's id of its account.
func TestAnAccountWithoutItsIDIsWarned(t *testing.T) {
	process := []string{"PUBSYNC_WEBHOOK_URL=https://hooks.example/webhooks", "PUBSYNC_WEBHOOK_SECRET=a-long-secret"}
	for text, want := range map[string]bool{"": true, "PUBSYNC_ACCOUNT_ID=1\n": false} {
		c, _ := config.Load(account(t, process, text), config.ToLook)
		if warned := strings.Contains(strings.Join(c.Warnings, " "), "PUBSYNC_ACCOUNT_ID"); warned != want {
			t.Errorf("with %q: warnings %q, want one: %t", text, c.Warnings, want)
		}
	}
}

// What plan --set tries wins over the account's file.
func TestWhatIsTriedWins(t *testing.T) {
	e := account(t, nil, "PUBSYNC_STOCK_BUFFER=2\n").With(map[string]string{"PUBSYNC_STOCK_BUFFER": "5"})
	if c, faults := config.Load(e, config.ToLook); len(faults) > 0 || c.StockBuffer != 5 {
		t.Errorf("got the buffer %d and the faults %v, want what is tried, 5", c.StockBuffer, faults)
	}
}

// The chosen adapter's former name counts, with a warning, unless the name of now is set. Another adapter's is
// passed over.
func TestFormerNames(t *testing.T) {
	for _, tt := range []struct {
		set    []string
		hosts  string
		warned bool
	}{
		{[]string{"PUBSYNC_WOOCOMMERCE_IMAGE_HOSTS=old"}, "old", true},
		{[]string{"PUBSYNC_WOOCOMMERCE_IMAGE_HOSTS=old", "PUBSYNC_SHOP_IMAGE_HOSTS=new"}, "new", true},
		{[]string{"PUBSYNC_SHOPIFY_IMAGE_HOSTS=old"}, "", false},
	} {
		c, _ := config.Load(config.Read(append(tt.set, "PUBSYNC_SHOP_ADAPTER=woocommerce"), nil), config.ToLook)
		warned := strings.Contains(strings.Join(c.Warnings, " "), "PUBSYNC_WOOCOMMERCE_IMAGE_HOSTS is called "+
			"PUBSYNC_SHOP_IMAGE_HOSTS now")
		if c.ShopImageHosts != tt.hosts || c.Adapter["IMAGE_HOSTS"] != tt.hosts || warned != tt.warned {
			t.Errorf("%v: got the hosts %q and %q and the warnings %q, want %q", tt.set, c.ShopImageHosts,
				c.Adapter["IMAGE_HOSTS"], c.Warnings, tt.hosts)
		}
	}
	_, faults := config.Load(config.Read([]string{"PUBSYNC_SHOPIFY_IMAGE_HOSTS=old"}, nil), config.ToLook)
	if len(faults) > 0 {
		t.Errorf("got the faults %v of another adapter's, want none", faults)
	}
}

// Every setting of the process is a fault in an account's file. The fault names file, line and
// variable.
func TestAnAccountsFileSetsNothingOfTheProcess(t *testing.T) {
	met := 0
	for _, v := range config.Own() {
		if v.Of != "process" {
			continue
		}
		met++
		_, faults := config.Load(account(t, nil, v.Name+"=info\n"), config.ToLook)
		says := errors.Join(faults...)
		if says == nil || !strings.Contains(says.Error(), v.Name+": is the process's") ||
			!strings.Contains(says.Error(), "shop-one.env") {
			t.Errorf("%s: got the faults %v, want one that names it and the file", v.Name, says)
		}
	}
	if met < 7 {
		t.Errorf("%d settings are the process's, want listeners, store, log and folder of accounts", met)
	}
}

// The token of one retailer is not set for all of them.
func TestTheProcessSetsNoTokenForAll(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "shop-one.env"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	e := config.Read([]string{
		"PUBSYNC_ACCOUNTS_DIR=" + dir, "PUBSYNC_STORE_URL=postgres://host/db", "PUBSYNC_MARKETPLACE_TOKEN=a-token",
	}, nil)
	_, faults := config.Load(e, config.ToServe)
	if len(faults) != 1 || !strings.HasPrefix(faults[0].Error(), "PUBSYNC_MARKETPLACE_TOKEN: ") {
		t.Errorf("got the faults %v, want one of the token", faults)
	}
	e = account(t, []string{"PUBSYNC_MARKETPLACE_TOKEN=a-token"}, "")
	if _, faults := config.Load(e, config.ToLook); len(faults) != 1 {
		t.Errorf("got the faults %v of an account with the token of the process, want one", faults)
	}
}

// Files that are no account's are passed over, and those with a name that no account can have are
// faults.
func TestAccounts(t *testing.T) {
	dir := t.TempDir()
	read := func(process ...string) ([]string, error) {
		e := config.Read(process, nil)
		return e.Accounts()
	}
	good := []string{"a", "shop-1", "1", strings.Repeat("a", 63)}
	bad := []string{"Shop", "a b", "a.b", "-a", "a_b", "é", strings.Repeat("a", 64), "webhooks", "oauth"}
	files := []string{".three.env", "four.env~", "five.txt"}
	for _, name := range append(good, bad...) {
		files = append(files, name+".env")
	}
	for _, name := range files {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const database = "PUBSYNC_STORE_URL=postgres://host/db"
	accounts, err := read("PUBSYNC_ACCOUNTS_DIR="+dir, database)
	slices.Sort(good)
	slices.Sort(accounts)
	if !slices.Equal(accounts, good) {
		t.Errorf("got the accounts %v, want %v", accounts, good)
	}
	for _, name := range bad {
		if err == nil || !strings.Contains(err.Error(), strconv.Quote(name+".env")) {
			t.Errorf("got %v, want a fault that names %s.env", err, name)
		}
	}
	if files, err := read(); files != nil || err != nil {
		t.Errorf("without a folder: got %v and %v, want neither", files, err)
	}
	for _, folder := range []string{filepath.Join(dir, "nowhere"), t.TempDir()} {
		if _, err := read("PUBSYNC_ACCOUNTS_DIR="+folder, database); err == nil {
			t.Error("got no fault of a folder that is not there, or empty")
		}
	}
	// what is to be set is said, and which unit runs a process for each account
	_, err = read("PUBSYNC_ACCOUNTS_DIR=" + dir)
	for _, want := range []string{"PUBSYNC_ACCOUNTS_DIR", "PUBSYNC_STORE_URL", "pubsync@.service"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("without a database: got %v, want %s in it", err, want)
		}
	}
}

// A fault of any variable, an adapter's too, names it and does not echo what it was set to. It says what a good value
// is, and not what a library says of the bad one.
func TestNoFaultEchoesAValue(t *testing.T) {
	for _, name := range shopadapter.Names() {
		for _, value := range []string{
			"s3ntinel", "s3ntinel:://{\u00e9} ;=,", "a=s3ntinel;s3ntinel", "?\x7f= s3ntinel",
		} {
			all := []string{"PUBSYNC_SHOP_ADAPTER=" + name}
			sets := [][]string{{"PUBSYNC_SHOP_ADAPTER=" + value}}
			for _, v := range config.Variables() {
				if v.Name == "PUBSYNC_SHOP_ADAPTER" {
					continue
				}
				all = append(all, v.Name+"="+value)
				if value == "s3ntinel" { // beside good ones too
					sets = append(sets, []string{all[0], v.Name + "=" + value})
				}
			}
			for _, set := range append(sets, all) {
				e := config.Read(set, nil)
				_, faults := config.Load(e, config.ToLook)
				if len(set) > 2 && len(faults) < 40 {
					t.Errorf("%q with %s: %d faults, want at least 40: it is good for little", value, name, len(faults))
				}
				for _, fault := range faults {
					if !strings.HasPrefix(fault.Error(), "PUBSYNC_") {
						t.Errorf("%s: %v", name, fault)
					}
					if strings.Contains(fault.Error(), "s3ntinel") {
						t.Errorf("a value is echoed: %v", fault)
					}
					vague := strings.Contains(fault.Error(), ": is not good: ")
					if vague && !strings.HasPrefix(fault.Error(), "PUBSYNC_LOG_LEVEL") {
						t.Errorf("%v, want what a good value is", fault)
					}
				}
			}
		}
	}
}

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
	if len(faults) > 0 || !reflect.DeepEqual(c.Publication, before.Publication) {
		t.Errorf("uncommented as it stands it has the faults %v, and the rules %+v, want the defaults", faults, c.Publication)
	}
}
