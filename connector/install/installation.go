package install

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"

	"github.com/pubsync/pubsync/store"
)

// installed is the fact that keeps the installation.
const installed store.Fact[Installation] = "installation"

// An Installation records that pubsync was installed as a public app. Its token is encrypted with
// the app's secret, so a copy of the store does not reveal it.
type Installation struct {
	Account string `json:"account,omitempty"` // the marketplace's id of the account
	Sealed  []byte `json:"sealed"`
}

// ErrSealed says that a token cannot be opened: it was sealed with another secret of the app.
var ErrSealed = errors.New("the token of the installation cannot be read with this PUBSYNC_OAUTH_CLIENT_SECRET: " +
	"install the app again, or set the secret of before")

// Of reads the installation that a store keeps; ok is false where there is none.
func Of(ctx context.Context, s store.Store) (i Installation, ok bool, err error) {
	i, ok, err = installed.Get(ctx, s)
	return i, ok && len(i.Sealed) > 0, err
}

// Token opens the token with the app's secret.
func (i Installation) Token(secret string) (string, error) {
	token, err := boxOf(secret).Open(nil, nil, i.Sealed, []byte(installed))
	if err != nil {
		return "", ErrSealed
	}
	return string(token), nil
}

// Keep writes the installation of an account with its token, which the app's secret opens.
func Keep(ctx context.Context, s store.Store, account, token, secret string) error {
	sealed := boxOf(secret).Seal(nil, nil, []byte(token), []byte(installed)) //nolint:gosec // the box makes the nonce
	return installed.Set(ctx, s, Installation{Account: account, Sealed: sealed})
}

// boxOf returns the cipher that seals with a key derived from the app's secret.
func boxOf(secret string) cipher.AEAD {
	key, err := hkdf.Key(sha256.New, []byte(secret), nil, "pubsync token of an installation", 32)
	if err == nil {
		block, _ := aes.NewCipher(key) //nolint:errcheck // the key has a right length
		if box, err := cipher.NewGCMWithRandomNonce(block); err == nil {
			return box
		}
	}
	panic("no cipher for a token") // these lengths are right
}
