package install

import (
	"encoding/hex"
	"strings"
	"testing"
	"time"
)

// Whatever the query, one parameter signature is found or none, nothing else of it changes, and
// what is signed is accepted.
func FuzzVerify(f *testing.F) {
	for _, seed := range []string{
		"", "a=1", "account_id=a&timestamp=1", "signature", "signature=", "&&",
		"a=1&signature=x&b=2", "timestamp=%", "x;y", "signature=a&signature=b",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		now := time.Unix(1_800_000_000, 0)
		if params, err := verify(query, appSecret, now); err == nil {
			rest, signature, _ := cutSignature(query)
			if params == nil || !strings.EqualFold(signature, hex.EncodeToString(digest(rest, appSecret))) {
				t.Errorf("got %q accepted, want it refused", query)
			}
		}
		if strings.Contains(query, "signature=") || strings.ContainsAny(query, ";%+") ||
			strings.Contains(query, "timestamp") {
			return
		}
		signed := query + "&timestamp=1800000000"
		signed += "&signature=" + hex.EncodeToString(digest(signed, appSecret))
		if _, err := verify(signed, appSecret, now); err != nil {
			t.Errorf("%q: got %v, want it accepted", signed, err)
		}
		for _, other := range []string{"", appSecret + "x"} {
			if _, err := verify(signed, other, now); err == nil {
				t.Errorf("got %q accepted with the secret %q, want it refused", signed, other)
			}
		}
	})
}
