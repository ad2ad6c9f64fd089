package shopadapter

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// A URL is a setting for the address of a shop: absolute, http or https, and nothing behind its
// path, since paths are added to its end.
type URL string

// EnvDecode reads the setting.
func (u *URL) EnvDecode(_ context.Context, value string) error {
	*u = URL(value)
	return ValidURL(value)
}

// A Currency is a setting for the code of a currency. It is in upper case.
type Currency string

// EnvDecode reads the setting.
func (c *Currency) EnvDecode(_ context.Context, value string) error {
	code, _ := CurrencyCode(value)
	*c = Currency(code)
	return ValidCurrency(value)
}

// Choose reads a setting that has these values and no others.
func Choose[T ~string](to *T, value string, of ...T) error {
	*to = T(value)
	if slices.Contains(of, *to) {
		return nil
	}
	var names []string
	for _, one := range of {
		names = append(names, string(one))
	}
	return errors.New("is not one of " + strings.Join(names, ", "))
}
