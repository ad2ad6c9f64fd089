package marketplace

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// Signature is the hex HMAC-SHA256 with which the marketplace signs webhooks and redirects. Compare it
// with hmac.Equal.
func Signature(secret, text []byte) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write(text)
	return hex.AppendEncode(nil, mac.Sum(nil))
}
