package listener

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// validSignature compares a signature in hex with a body's HMAC-SHA256 in constant time.
func validSignature(secret string, body []byte, signature string) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	given := signatureOf(signature)
	return given != nil && hmac.Equal(mac.Sum(nil), given)
}

// signatureOf is the bytes of a signature in hex, nil for a text that is none.
func signatureOf(header string) []byte {
	given, err := hex.DecodeString(strings.TrimSpace(header))
	if err != nil || len(given) != sha256.Size {
		return nil
	}
	return given
}
