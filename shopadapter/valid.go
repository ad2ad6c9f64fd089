package shopadapter

import (
	"errors"
	"net/url"
	"slices"
	"strings"
)

// ValidURL is a Setting.Valid for the address of a shop: absolute, http or https, and nothing behind its path, since paths are added to its end.
func ValidURL(value string) error {
	u, err := url.Parse(value)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return errors.New("must be an absolute http or https address, such as https://shop.example.com")
	case u.User != nil:
		return errors.New("must not contain a user name or password: credentials have settings of their own")
	case u.RawQuery != "" || u.ForceQuery || strings.Contains(value, "#"):
		return errors.New("must not contain a query or a fragment: paths are added to its end")
	}
	return nil
}

// ValidToken is a Setting.Valid for what is sent in a header.
func ValidToken(value string) error {
	for _, c := range []byte(value) {
		if c <= ' ' || c > '~' {
			return errors.New("must consist of visible ASCII characters without spaces, since it is sent in a header")
		}
	}
	return nil
}

// OneOf is a Setting.Valid for a setting that has these values and no others.
func OneOf(values ...string) func(string) error {
	return func(value string) error {
		if slices.Contains(values, value) {
			return nil
		}
		last := len(values) - 1
		return errors.New("must be " + strings.Join(values[:last], ", ") + " or " + values[last])
	}
}

// ValidCurrency is a Setting.Valid for the code of a currency.
func ValidCurrency(value string) error {
	if _, ok := CurrencyCode(value); !ok {
		return errors.New("must be a currency code of three letters, for example EUR")
	}
	return nil
}
