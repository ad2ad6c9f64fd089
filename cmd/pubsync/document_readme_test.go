// What the pages say is so.

package main_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
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

// TestThePagesCommandsExist has each command line that the pages show read by the program, with its
// words and flags. What a command does has tests of its own.
func TestThePagesCommandsExist(t *testing.T) {
	unraced(t)
	t.Parallel()
	pages, err := filepath.Glob("../../shopadapter/*/README.md")
	if err != nil || len(pages) < 4 {
		t.Fatalf("got %v, %v, want a page for each shop software", pages, err)
	}
	var shown strings.Builder
	for _, page := range append(pages, guide, readme, "../deploy/README.md") {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		shown.Write(data)
	}
	lines := map[string]bool{}
	for _, m := range regexp.MustCompile("`pubsync ([a-z][^`]*)`").FindAllStringSubmatch(shown.String(), -1) {
		lines[strings.TrimSuffix(m[1], "…")] = true
	}
	block := strings.Join(blocks(t, guide, "sh"), "")
	for _, m := range regexp.MustCompile("(?m)^pubsync ([^#>&\n]*)").FindAllStringSubmatch(block, -1) {
		lines[m[1]] = true
	}
	if len(lines) < 15 {
		t.Fatalf("the pages show only %v", lines)
	}
	help := call(t, t.TempDir(), nil).stdout
	for line := range lines {
		word, rest, _ := strings.Cut(line, " ")
		if !strings.Contains(help, "\n  "+word+" ") {
			t.Errorf("the help has no pubsync %s", word)
		}
		if !strings.Contains(rest, "--") {
			continue
		}
		if r := call(t, t.TempDir(), nil, append(strings.Fields(line), "--help")...); r.code != 0 {
			t.Errorf("pubsync %s: exit %d, %s", line, r.code, r.stderr)
		}
	}
}
