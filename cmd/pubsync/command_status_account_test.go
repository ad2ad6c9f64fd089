// status and doctor say whose list it is.

package main_test

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// Status says whose list it is and which store the marketplace thinks that it feeds, and warns where
// that is another shop than the one whose product pages are reported.
func TestWhoseListItIs(t *testing.T) {
	t.Parallel()
	for address, warns := range map[string]bool{"https://chairs.example": true, "https://www.shop.example/": false} {
		t.Run(address, func(t *testing.T) {
			s := open(t, sandbox.Options{ChannelURL: address})
			s.lamps(1)
			s.imported()
			text := s.call("status").stdout
			if !strings.Contains(text, "Sandbox retailer (sandbox-retailer), retailer") ||
				!strings.Contains(text, "feeds Web shop at "+address) {
				t.Errorf("status says:\n%s", text)
			}
			if strings.Contains(text, "warning:") != warns || strings.Contains(text, "lie at shop.example") != warns {
				t.Errorf("status is to warn: %t\n%s", warns, text)
			}
		})
	}
}
