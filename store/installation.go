package store

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"time"
)

// metaInstallation is the fact that keeps the installation.
const metaInstallation = "installation"

// An Installation records that pubsync was installed as a public app. Its token is encrypted with
// the app's secret, so a copy of the store does not reveal it.
type Installation struct {
	Account string    `json:"account,omitempty"` // the marketplace's id of the account
	Scopes  []string  `json:"scopes"`
	At      time.Time `json:"at"`
	Sealed  string    `json:"sealed"`
	// the token again, with a new secret of the app that has not proved itself
	Offered string `json:"offered,omitempty"`
}

// ErrSealed says that a token cannot be opened: it was sealed with another secret of the app.
var ErrSealed = errors.New(
	"the token of the installation cannot be read with this PUBSYNC_OAUTH_CLIENT_SECRET: install the app again, or " +
		"set the secret of before",
)

// InstallationOf reads the installation that a store keeps; ok is false where there is none.
func InstallationOf(ctx context.Context, s Facts) (i Installation, ok bool, err error) {
	ok, err = MetaJSON(ctx, s, metaInstallation, &i)
	return i, ok && i.Sealed != "", err
}

// Token opens the token with the app's secret.
func (i Installation) Token(secret string) (string, error) {
	token, err := open(i.Sealed, secret)
	if err != nil && i.Offered != "" {
		return open(i.Offered, secret)
	}
	return token, err
}

func open(sealed, secret string) (string, error) {
	data, err := base64.StdEncoding.DecodeString(sealed)
	if err != nil {
		return "", ErrSealed
	}
	box, err := boxOf(secret)
	if err != nil {
		return "", err
	}
	token, err := box.Open(nil, nil, data, []byte(metaInstallation))
	if err != nil {
		return "", ErrSealed
	}
	return string(token), nil
}

func seal(token, secret string) (string, error) {
	box, err := boxOf(secret)
	if err != nil {
		return "", err
	}
	//nolint:gosec // the box makes the nonce
	return base64.StdEncoding.EncodeToString(
		box.Seal(nil, nil, []byte(token), []byte(metaInstallation)),
	), nil
}

// KeepInstallation writes an installation with its token, which the app's secret opens, and the
// offered one too where there is one.
func KeepInstallation(ctx context.Context, s Facts, i Installation, token, secret, offered string) (err error) {
	i.Offered = ""
	if i.Sealed, err = seal(token, secret); err == nil && offered != "" {
		i.Offered, err = seal(token, offered)
	}
	if err != nil {
		return err
	}
	return SetMetaJSON(ctx, s, metaInstallation, i)
}

// OfferSecret seals the token of a store with a new secret of the app too, until ProveSecret. One
// of the known secrets must open it, else the error is ErrSealed and nothing changes. Where the
// token is sealed with the new secret already, proved is true, and any other offer is removed.
func OfferSecret(ctx context.Context, s Facts, fresh string, known ...string) (proved bool, err error) {
	i, ok, err := InstallationOf(ctx, s)
	if err != nil || !ok {
		return false, err
	}
	if _, err := open(i.Sealed, fresh); err == nil {
		if i.Offered == "" {
			return true, nil
		}
		i.Offered = ""
		return true, SetMetaJSON(ctx, s, metaInstallation, i)
	}
	for _, secret := range known {
		token, err := i.Token(secret)
		if err != nil {
			continue
		}
		if i.Offered, err = seal(token, fresh); err != nil {
			return false, err
		}
		return false, SetMetaJSON(ctx, s, metaInstallation, i)
	}
	return false, ErrSealed
}

// ProveSecret seals the token of a store with the offered secret alone. It does nothing where
// another secret is offered, or none.
func ProveSecret(ctx context.Context, s Facts, secret string) error {
	i, ok, err := InstallationOf(ctx, s)
	if err != nil || !ok || i.Offered == "" {
		return err
	}
	if _, err := open(i.Offered, secret); err != nil {
		return nil //nolint:nilerr // another one is offered
	}
	i.Sealed, i.Offered = i.Offered, ""
	return SetMetaJSON(ctx, s, metaInstallation, i)
}

// boxOf returns the cipher that seals with a key derived from the app's secret.
func boxOf(secret string) (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, []byte(secret), nil, "pubsync token of an installation", 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}
