package listener

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"
)

func signature(secret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

func TestValidSignature(t *testing.T) {
	const secret = "s3cr3t"
	body := []byte(`{"data":{}}`)
	good := signature(secret, body)
	for _, tt := range []struct {
		name, secret, given string
		body                []byte
		want                bool
	}{
		{"as it should be", secret, good, body, true},
		{"in capitals", secret, strings.ToUpper(good), body, true},
		{"with spaces around it", secret, " " + good + "\t", body, true},
		{"none", secret, "", body, false},
		{"of another body", secret, signature(secret, []byte(`{"data":{} }`)), body, false},
		{"of another secret", secret, signature("other", body), body, false},
		{"of an empty body", secret, signature(secret, nil), nil, true},
		{
			"one digit off", secret,
			good[:63] + string("0123456789abcdef"[(strings.IndexByte("0123456789abcdef", good[63])+1)%16]), body, false,
		},
		{"cut by one", secret, good[:63], body, false},
		{"cut by two", secret, good[:62], body, false},
		{"longer by two", secret, good + "00", body, false},
		{"the start alone", secret, good[:8], body, false},
		{"no hex", secret, strings.Repeat("g", 64), body, false},
		{"with a scheme before it", secret, "sha256=" + good, body, false},
		{"in base64", secret, base64.StdEncoding.EncodeToString([]byte(good)[:32]), body, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := validSignature(tt.secret, tt.body, tt.given); got != tt.want {
				t.Errorf("%q: %t, want %t", tt.given, got, tt.want)
			}
		})
	}
}

func FuzzSignature(f *testing.F) {
	body := []byte(`{"data":{}}`)
	f.Add("secret", body, signature("secret", body))
	f.Add("secret", body, strings.ToUpper(signature("secret", body)))
	f.Add("", body, signature("", body))
	f.Add("secret", []byte(nil), "")
	f.Fuzz(func(t *testing.T, secret string, body []byte, given string) {
		want := strings.EqualFold(strings.TrimSpace(given), signature(secret, body))
		if got := validSignature(secret, body, given); got != want {
			t.Errorf("secret %q, body %q, signature %q: %t, want %t", secret, body, given, got, want)
		}
	})
}
