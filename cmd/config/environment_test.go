package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The process wins over the files, a later file over an earlier one, each with its own _FILE forms.
// Within one of them a secret stands in one place.
func TestValues(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return filepath.Join(dir, name)
	}
	const token, file = "PUBSYNC_HTTP_TOKEN=", "PUBSYNC_HTTP_TOKEN_FILE="
	secret := write("secret", "of-its-own-file")
	for name, tt := range map[string]struct {
		process       []string
		first, second string
		want, fault   string
	}{
		"process over files":            {[]string{token + "p"}, file + secret, token + "2", "p", ""},
		"its own file over files":       {[]string{file + secret}, token + "1", token + "2", "of-its-own-file", ""},
		"the later file":                {nil, token + "1", token + "2", "2", ""},
		"the later file names a file":   {nil, token + "1", file + secret, "of-its-own-file", ""},
		"the earlier file names a file": {nil, file + secret, token + "2", "2", ""},
		"an empty value is unset":       {[]string{token, file}, token + "1", token, "1", ""},
		"twice in the process": {
			[]string{token + "p", file + secret},
			"", "", "",
			"PUBSYNC_HTTP_TOKEN: is set, and so is",
		},
		"twice in a file": {
			nil, "", token + "2\n" + file + secret, "",
			"PUBSYNC_HTTP_TOKEN: is set, and so is",
		},
		"nothing below a fault":     {[]string{file + "/no/such"}, token + "1", "", "", "PUBSYNC_HTTP_TOKEN_FILE: "},
		"a fault below what is set": {[]string{token + "p"}, file + "/no/such", "", "p", ""},
	} {
		e := Read(tt.process, []string{write("first.env", tt.first), write("second.env", tt.second)})
		values, faults := e.Values()
		if got := values["PUBSYNC_HTTP_TOKEN"]; got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
		if tt.fault == "" && len(faults) > 0 ||
			tt.fault != "" && (len(faults) != 1 || !strings.HasPrefix(faults[0].Error(), tt.fault)) {
			t.Errorf("%s: faults %v, want %q", name, faults, tt.fault)
		}
	}
}

// A line that cannot be read is named by its number, and not quoted.
func TestEnvFileNamesTheLineThatCannotBeRead(t *testing.T) {
	const broken = "not of the form KEY=value, or a quote is never closed"
	for name, tt := range map[string]struct{ text, want string }{
		"good":                      {"# a comment\n\nPUBSYNC_LOG_LEVEL=info\n", ""},
		"two lines in quotes":       {"PUBSYNC_A='one\ntwo'\nPUBSYNC_B=x", ""},
		"an escaped quote":          {`PUBSYNC_A="one\"two"` + "\nPUBSYNC_B=x", ""},
		"no =":                      {"PUBSYNC_A=1\nS3NTINEL of mine\nPUBSYNC_B=2", "line 2: " + broken},
		"no = at the end":           {"PUBSYNC_A=1\nS3NTINEL", "line 2: " + broken},
		"an odd name":               {"PUBSYNC_A=1\r\n\r\nPUBSYNC-B=S3NTINEL\r\n", "line 3: " + broken},
		"behind quotes":             {"PUBSYNC_A='1\n2' S3NTINEL\nPUBSYNC_B=2", "line 1, 2: " + broken},
		"behind a value of 2 lines": {"PUBSYNC_A='1\n2'\nS3NTINEL\n", "line 3: " + broken},
		"two lines":                 {"S3NTINEL\nPUBSYNC_A=1\nPUBSYNC-B", "line 1, 3: " + broken},
		"an open quote":             {"PUBSYNC_A=1\nPUBSYNC_B='S3NTINEL\nPUBSYNC_C=3\n", "line 2: " + broken},
	} {
		file := filepath.Join(t.TempDir(), "pubsync.env")
		if err := os.WriteFile(file, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		e := Read(nil, []string{file})
		_, err := e.Accounts()
		if good := strings.Contains(tt.text, "PUBSYNC_B=2"); good != (e.Value("PUBSYNC_B") == "2") {
			t.Errorf("%s: the good lines do not count", name)
		}
		switch {
		case err == nil && tt.want == "":
		case err == nil || tt.want == "":
			t.Errorf("%s: got the error %v, want %q", name, err, tt.want)
		case !strings.Contains(err.Error(), file+": "+tt.want):
			t.Errorf("%s: got %q, want the file and %q", name, err, tt.want)
		case strings.Contains(err.Error(), "S3NTINEL"):
			t.Errorf("%s: got %q, want an error that quotes nothing", name, err)
		}
	}
}

// An env file may begin with a byte order mark, and is text in UTF-8, as a secret's file is.
func TestEnvFilesAreUTF8(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pubsync.env")
	for data, fault := range map[string]bool{
		"\ufeffPUBSYNC_SHOP_SKU_PREFIX=häuser-\r\n": false, "\xff\xfeP\x00U\x00B\x00=\x00x\x00": true,
		"P\x00U\x00B\x00=\x00x\x00": true,
	} {
		if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		e := Read(nil, []string{file})
		_, err := e.Accounts()
		if got := err != nil && strings.Contains(err.Error(), "save it as UTF-8"); got != fault {
			t.Errorf("%q: got the error %v, want one that names UTF-8: %t", data, err, fault)
		}
		if values, _ := e.Values(); !fault && values["PUBSYNC_SHOP_SKU_PREFIX"] != "häuser-" {
			t.Errorf("%q: got %v, want häuser-", data, values)
		}
	}
}

// Every relative path in an env file is relative to that file, and a secret's file that is not there
// is one fault.
func TestPathsAreRelativeToTheEnvFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "pubsync.env")
	text := "PUBSYNC_MARKETPLACE_URL=https://market.example\nPUBSYNC_MARKETPLACE_TOKEN_FILE=secrets/token\n" +
		"PUBSYNC_SHOP_ADAPTER=catalog\nPUBSYNC_CATALOG_URL=https://shop.example\nPUBSYNC_CATALOG_DIR=pages\n"
	load := func() (*Config, []error) {
		e := Read(nil, []string{file})
		return Load(e, ToRunOnce)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"PUBSYNC_WEBHOOK_SECRET_FILE", "PUBSYNC_WEBHOOK_PATH_TOKEN_FILE"} {
		e := Read([]string{
			"PUBSYNC_WEBHOOK_LISTEN=:8080", "PUBSYNC_WEBHOOK_URL=https://shop.example/webhooks", secret + "=/no/such",
		}, nil)
		if _, faults := Load(e, ToLook); len(faults) != 1 {
			t.Errorf("without the file of %s: got the faults %v, want one", secret, faults)
		}
	}
	if _, faults := load(); len(faults) != 1 || !strings.HasPrefix(faults[0].Error(), "PUBSYNC_MARKETPLACE_TOKEN_FILE: ") {
		t.Errorf("without the file: got the faults %v, want one of PUBSYNC_MARKETPLACE_TOKEN_FILE", faults)
	}
	if err := os.MkdirAll(filepath.Join(dir, "secrets"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "secrets", "token"), []byte("a-token\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, faults := load()
	if len(faults) > 0 || c.MarketplaceToken != "a-token" {
		t.Errorf("got the token %q and the faults %v, want that of the file", c.MarketplaceToken, faults)
	}
	if want := filepath.Join(dir, "pages"); c.Adapter["DIR"] != want {
		t.Errorf("got the folder %q, want %q", c.Adapter["DIR"], want)
	}
}

// What was an adapter's own setting, and is every shop's now, is read under both names.
func TestRenamed(t *testing.T) {
	for name, tt := range map[string]struct {
		process []string
		want    string
		warned  bool
	}{
		"the name of before": {[]string{"PUBSYNC_HTTP_PRICES=net"}, "net", true},
		"the name of now":    {[]string{"PUBSYNC_SHOP_PRICES=net"}, "net", false},
		"both":               {[]string{"PUBSYNC_HTTP_PRICES=net", "PUBSYNC_SHOP_PRICES=gross"}, "gross", true},
	} {
		e := Read(append(tt.process, "PUBSYNC_SHOP_ADAPTER=http", "PUBSYNC_HTTP_URL=https://shop.example.com",
			"PUBSYNC_PRICE_VAT_PERCENT=21"), nil)
		c, faults := Load(e, ToLook)
		if warned := strings.Contains(strings.Join(c.Warnings, " "), "called PUBSYNC_SHOP_PRICES now"); len(faults) > 0 ||
			c.Adapter["PRICES"] != tt.want || warned != tt.warned {
			t.Errorf("%s: %v %q, warnings %q, want %q", name, faults, c.Adapter["PRICES"], c.Warnings, tt.want)
		}
	}
}
