package shopadapter

import (
	"errors"
	"net/url"
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
