package httpshop

import (
	"errors"
	"net/url"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

func settings() []shopadapter.Setting {
	return []shopadapter.Setting{
		{
			Name: "URL", Required: true, Valid: validURL,
			Meaning: "base address of the shop's endpoint: products are PUT to {URL}/products/{id}",
		}, {
			Name: "TOKEN", Secret: true, Valid: validToken,
			Meaning: "sent to the endpoint as Authorization: Bearer {token}",
		},
	}
}

func validURL(value string) error {
	u, err := url.Parse(value)
	switch {
	case err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "":
		return errors.New("must be an absolute http or https address, such as https://shop.example.com/pubsync")
	case u.User != nil:
		return errors.New("must not contain a user name or password: the endpoint is given the token")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.Contains(value, "#"):
		return errors.New("must not contain a query or a fragment: paths are added to its end")
	}
	return nil
}

func validToken(value string) error {
	for _, c := range []byte(value) {
		if c <= ' ' || c > '~' {
			return errors.New("must consist of visible ASCII characters without spaces, since it is sent in a header")
		}
	}
	return nil
}
