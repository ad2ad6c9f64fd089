package config

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
)

const (
	letters = "abcdefghijklmnopqrstuvwxyz"
	digits  = "0123456789"
)

// The lists, joined by commas.
type (
	languages []string // in lower case
	scopes    []string // of OAuth
	events    []string // of webhooks, each once
	keep      shopadapter.Fields
)

func (l *languages) EnvDecode(_ context.Context, value string) error {
	*l = list(strings.ToLower(value))
	if len(*l) == 0 {
		return errors.New("names no language")
	}
	if slices.ContainsFunc(*l, func(s string) bool { return len(s) != 2 || !only(s, letters) }) {
		return errors.New("is not a list of two-letter languages such as en,nl")
	}
	return nil
}

func (s *scopes) EnvDecode(_ context.Context, value string) error {
	*s = list(value)
	if len(*s) == 0 {
		return errors.New("names no scope")
	}
	if slices.ContainsFunc(*s, func(s string) bool { return strings.Trim(s, letters+"_") != "" }) {
		return errors.New("is not a list of scopes such as account_read,products_read")
	}
	return nil
}

func (e *events) EnvDecode(_ context.Context, value string) error {
	*e = nil
	for _, event := range list(value) {
		if !only(event, letters+digits+"_.-/") || len(event) > 100 {
			return errors.New("is not a list of events such as PUBLICATION_CREATED,PRODUCT_UPDATED")
		}
		if !slices.ContainsFunc(*e, func(one string) bool { return marketplace.SameEvent(one, event) }) {
			*e = append(*e, event)
		}
	}
	if len(*e) == 0 {
		return errors.New("names no event")
	}
	return nil
}

func (k *keep) EnvDecode(_ context.Context, value string) error {
	fields, err := shopadapter.ParseFields(list(value)...)
	*k = keep(fields)
	if may := shopadapter.TextFields | shopadapter.FieldPrice | shopadapter.FieldStock; err != nil || fields&^may != 0 {
		return fmt.Errorf("is not a list of %s", may)
	}
	return nil
}

// list splits at commas and leaves out what is empty.
func list(s string) []string {
	var out []string
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// only reports whether a text consists of some characters, whatever their case.
func only(s, characters string) bool { return strings.Trim(strings.ToLower(s), characters) == "" }
