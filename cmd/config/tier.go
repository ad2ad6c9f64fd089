package config

import (
	"context"
	"errors"
	"strings"

	"github.com/pubsync/pubsync/connector/publication"
)

// The rules that have a markup of their own for a part of what is sold.
type (
	tiers           []publication.Tier
	categoryMarkups []publication.CategoryMarkup
	categories      []publication.CategoryPath
)

func (t *tiers) EnvDecode(_ context.Context, s string) error {
	list, err := publication.ParseTiers(s)
	*t = list
	return err
}

func (c *categoryMarkups) EnvDecode(_ context.Context, s string) error {
	list, err := publication.ParseCategoryMarkups(s)
	*c = list
	return err
}

func (c *categories) EnvDecode(_ context.Context, s string) error {
	list, err := publication.ParseCategories(s)
	*c = list
	return err
}

// A country is the name of a group of countries as the marketplace gives it: NL as a rule.
type country string

const mostCountry = 100

func (c *country) EnvDecode(_ context.Context, s string) error {
	*c = country(strings.TrimSpace(s))
	if *c == "" || len(*c) > mostCountry {
		return errors.New("is not the name of a group of countries such as NL")
	}
	return nil
}
