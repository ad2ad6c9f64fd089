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
