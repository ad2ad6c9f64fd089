package config

import (
	"context"
	"errors"
	"net/mail"
	"net/url"
	"strconv"
	"strings"
)

// An alertURL is where alerts are posted. Such addresses hold their own secret, in the path or the
// query.
type alertURL string

func (a *alertURL) EnvDecode(_ context.Context, value string) error {
	*a = alertURL(value)
	if u, err := url.Parse(value); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return errors.New("is not an absolute http(s) address")
	}
	return nil
}

// An alertMail is the server and the people that alerts are mailed to. The zero value is none.
type alertMail struct{ address *url.URL }

// Address is the server and the people, nil where there is none.
func (a alertMail) Address() *url.URL { return a.address }

func (a *alertMail) EnvDecode(_ context.Context, value string) error {
	const form = "is not of the form smtp://user:password@host:port/?from=a@shop.example&to=b@shop.example"
	u, err := url.Parse(value)
	if err != nil || u.Scheme != "smtp" || u.Hostname() == "" {
		return errors.New(form)
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return errors.New(form)
		}
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil || len(query["from"]) != 1 || len(query["to"]) == 0 {
		return errors.New(form)
	}
	for _, list := range append(query["to"], query.Get("from")) {
		for _, one := range strings.Split(list, ",") {
			if _, err := mail.ParseAddress(one); err != nil {
				return errors.New("names no mail address in from or to")
			}
		}
	}
	a.address = u
	return nil
}
