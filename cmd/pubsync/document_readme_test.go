// What the pages say is so.

package main_test

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

const (
	guide  = "../../shopadapter/README.md"
	readme = "../../README.md"
)

// blocks is the code blocks in a language of a document.
func blocks(t *testing.T, document, language string) (out []string) {
	t.Helper()
	data, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(string(data), -1) {
		out = append(out, m[1])
	}
	return out
}

// The prices of the README's first configuration are those that the supplier recommends to
// consumers.
func TestTheReadmesFiveMinutesSellAtTheRecommendedPrice(t *testing.T) {
	unraced(t)
	s := open(t, sandbox.Options{})
	data, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	settings := regexp.MustCompile(`(?m)^ *PUBSYNC_(PRICE_[A-Z_]+)=(.*)$`).FindAllStringSubmatch(string(data), -1)
	if len(settings) < 2 {
		t.Fatalf("the README's settings of prices: %v", settings)
	}
	for _, m := range settings {
		s.set(m[1], m[2])
	}
	l := lamp(1)
	for i := range l.Variants {
		l.Variants[i].Cost, l.Variants[i].MSRP = "7.50", "17.95"
	}
	id := s.add(l)
	s.imported()
	if got := s.prices(id); !slices.Equal(got, []string{"17.95", "17.95"}) {
		t.Errorf("sold for %v, want what the supplier recommends, 17.95", got)
	}
}
