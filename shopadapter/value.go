package shopadapter

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
)

// A URL is a setting for the address of a shop: absolute, http or https, and nothing behind its
// path, since paths are added to its end.
type URL string

// EnvDecode reads the setting.
func (u *URL) EnvDecode(_ context.Context, value string) error {
	*u = URL(value)
	at, err := url.Parse(value)
	switch {
	case err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Hostname() == "":
		return errors.New("must be an absolute http or https address, such as https://shop.example.com")
	case at.User != nil:
		return errors.New("must not contain a user name or password: credentials have settings of their own")
	case at.RawQuery != "" || at.ForceQuery || strings.Contains(value, "#"):
		return errors.New("must not contain a query or a fragment: paths are added to its end")
	}
	return nil
}

// A Token is a setting for what is sent in a header.
type Token string

// EnvDecode reads the setting.
func (t *Token) EnvDecode(_ context.Context, value string) error {
	*t = Token(value)
	if strings.ContainsFunc(value, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return errors.New("must consist of visible ASCII characters without spaces, since it is sent in a header")
	}
	return nil
}

// A Currency is a setting for the code of a currency. It is in upper case.
type Currency string

// EnvDecode reads the setting.
func (c *Currency) EnvDecode(_ context.Context, value string) error {
	if *c = Currency(CurrencyCode(value)); *c == "" {
		return errors.New("must be a currency code of three letters, for example EUR")
	}
	return nil
}

// Choose reads a setting that has these values and no others.
func Choose[T ~string](to *T, value string, of ...T) error {
	*to = T(value)
	if slices.Contains(of, *to) {
		return nil
	}
	text := "must be " + string(of[0])
	for i, one := range of[1:] {
		between := ", "
		if i == len(of)-2 {
			between = " or "
		}
		text += between + string(one)
	}
	return errors.New(text)
}
