// Package delivery makes the requests that tests send to the webhook listener, as the marketplace
// would.
package delivery

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"strings"
)

// Of is one request. It is signed with a secret, and not at all with "".
func Of(method, path, body, secret, event string) *http.Request {
	r := httptest.NewRequestWithContext(context.Background(), method, path, strings.NewReader(body))
	if secret != "" {
		r.Header.Set("X-Service-Signature", Signature(secret, []byte(body)))
	}
	r.Header.Set("X-Service-Event", event)
	return r
}

// Signature is what the header of a signed body holds.
func Signature(secret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}
