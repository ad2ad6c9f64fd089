package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	_ "github.com/pubsync/pubsync/shopadapter/catalog" // what is judged
	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/shopadaptertest"
)

// judge is what the judges say of pages, "" for nothing.
func judge(t *testing.T, pages ...string) string {
	t.Helper()
	dir := os.Getenv("PUBSYNC_TEST_CATALOG")
	if dir == "" {
		t.Skip("PUBSYNC_TEST_CATALOG names no folder that install.sh has filled")
	}
	script, err := filepath.Abs(filepath.Join(dir, "judge.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	said, err := exec.CommandContext(t.Context(), "node", append([]string{script}, pages...)...).CombinedOutput()
	var faults *exec.ExitError
	if err != nil && (!errors.As(err, &faults) || len(said) == 0) {
		t.Fatalf("judge: %v", err)
	}
	return string(said)
}

// products are pages of every kind: with a choice and without, with details and without, to be had
// later, sold out, to order, and with texts that want to break out.
func products() map[string]shopadapter.Product {
	all := map[string]shopadapter.Product{}
	for name, variants := range map[string]int{"single": 1, "choice": 3, "later": 2, "plain": 2, "evil": 2} {
		p := shopadaptertest.Sample(shopadapter.PublicationID(name), variants)
		p.Currency = "EUR"
		if name != "plain" {
			p = laws.WithDetails(p, 1)
		}
		all[name] = p
	}
	single := all["single"]
	single.Options, single.Variants[0].Options = nil, nil
	all["single"] = single
	all["choice"].Variants[0].Quantity = 0
	all["choice"].Variants[1].Quantity, all["choice"].Variants[1].Backorders = 0, true
	for i := range all["later"].Variants {
		v := &all["later"].Variants[i]
		v.AvailableAt, v.Later, v.Quantity = "2030-12-01", true, 5
	}
	evil := all["evil"]
	evil.Title, evil.Brand = `</script><b>"x"`, `"}]</script>`
	evil.Variants[0].Tags, evil.Variants[0].EAN, evil.Variants[0].Weight = []string{`<!--<script>`}, "12", "heavy"
	all["evil"] = evil
	return all
}

func TestStructuredData(t *testing.T) {
	dir := t.TempDir()
	shop, err := shopadapter.Open("catalog", shopadapter.Options{
		Settings: map[string]string{"DIR": dir, "URL": "https://shop.example.com"},
	})
	if err != nil {
		t.Fatal(err)
	}
	var pages []string
	for _, p := range products() {
		listing, err := shop.Publish(t.Context(), shopadapter.Ref{Publication: p.ID}, p, shopadapter.AllFields)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, filepath.Join(dir, "products", string(listing.ID)+".html"))
	}
	if said := judge(t, pages...); said != "" {
		t.Errorf("the judges of structured data: got\n%swant nothing", said)
	}
}

// TestTheJudgesSee breaks a page that they accept, in several ways.
func TestTheJudgesSee(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "testdata", "product.golden.html"))
	if err != nil {
		t.Fatal(err)
	}
	dir, broken := t.TempDir(), []struct{ name, old, new, want string }{
		{"as-it-is", "^", "", ""},
		{"no-price", `"price":[0-9.]+,`, "", `Required attribute "price"`},
		{"unknown-property", `"gtin":`, `"ean":`, `"ean"' does not exist`},
		{"unknown-type", `"@type":"QuantitativeValue"`, `"@type":"Heaviness"`, "Heaviness"},
		{"price-in-words", `"price":[0-9.]+,`, `"price":"free",`, `Invalid type for attribute "price"`},
		{"none", `(?s)<script.*</script>`, "", "no structured data"},
	}
	pages := make([]string, len(broken))
	for i, b := range broken {
		pages[i] = filepath.Join(dir, b.name+".html")
		text := regexp.MustCompile(b.old).ReplaceAllString(string(page), b.new)
		if err := os.WriteFile(pages[i], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.SplitAfter(judge(t, pages...), "\n")
	for i, b := range broken {
		said := ""
		for _, line := range lines {
			if strings.HasPrefix(line, pages[i]) {
				said += line
			}
		}
		if b.want == "" && said != "" || !strings.Contains(said, b.want) {
			t.Errorf("%s: the judges say %q, want %q", b.name, said, b.want)
		}
	}
}
