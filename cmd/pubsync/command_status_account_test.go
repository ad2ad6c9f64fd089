// status and doctor say whose list it is.

package main_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// Status and doctor say whose list it is and which store the marketplace thinks that it feeds. They
// warn where that is another shop than the one whose product pages are reported, and a token that
// may not read it is no fault.
func TestWhoseListItIs(t *testing.T) {
	for _, tt := range []struct {
		name    string
		options sandbox.Options
		feeds   string // in both
		warns   bool
	}{
		{
			"another shop",
			sandbox.Options{ChannelURL: "https://chairs.example"},
			"feeds Web shop at https://chairs.example",
			true,
		},
		{
			"this shop",
			sandbox.Options{ChannelURL: "https://www.shop.example/"},
			"feeds Web shop at https://www.shop.example/",
			false,
		},
		{"not told", sandbox.Options{Denied: []string{"channels"}}, "does not tell", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, tt.options)
			s.lamps(1)
			s.imported()
			text := s.call("status").stdout
			if !strings.Contains(text, "Sandbox retailer (sandbox-retailer), retailer") || !strings.Contains(text, tt.feeds) {
				t.Errorf("status says:\n%s", text)
			}
			if warns := strings.Contains(text, "warning:") && strings.Contains(text, "lie at shop.example"); warns != tt.warns {
				t.Errorf("status warns: %t\n%s", warns, text)
			}
			var told desk.Status
			if err := json.Unmarshal([]byte(s.call("status", "--json").stdout), &told); err != nil ||
				told.Account == nil ||
				told.Account.Slug != "sandbox-retailer" {
				t.Errorf("status --json tells %+v, %v", told.Account, err)
			}
		})
	}
}

// The tree of categories is read once in one request, with the account and the channels, in the
// shop's language. Paths that it lacks have it read again once, not once a look, also by the next
// run.
func TestTheTreeIsReadForUnknownPathsOnce(t *testing.T) {
	s := open(t, sandbox.Options{})
	add := func(category string) {
		for n := range 3 {
			l := lamp(n)
			l.Category = category
			s.add(l)
		}
	}
	add("HOME_LIVING_CANDLES")
	readings := func() (n int) {
		for _, r := range s.market.Requests() {
			if r.Operation == "Directory" {
				n++
			}
		}
		return n
	}
	s.imported()
	if n := readings(); n != 1 {
		t.Errorf("the tree was read %d times at first, want 1", n)
	}
	add("NO_SUCH_PATH")
	s.imported()
	if n := readings(); n != 2 {
		t.Errorf("the tree has been read %d times after three looks at one unknown path, want 2", n)
	}
	for id := range s.lines("") {
		if err := s.market.SetStock(id, "", 3); err != nil {
			t.Fatal(err)
		}
	}
	if sum := s.imported(); sum.Updated != 6 {
		t.Errorf("the next run: %+v", sum)
	}
	if n := readings(); n != 2 {
		t.Errorf("after the next run the tree has been read %d times, want 2", n)
	}
}
