package config

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/pubsync/pubsync/connector/marketplace"
)

// The lists, joined by commas.
type (
	languages []string // in lower case
	scopes    []string // of OAuth
	events    []string // of webhooks, each once
)

var (
	language = regexp.MustCompile(`^[a-z]{2}$`)
	scope    = regexp.MustCompile(`^[a-z_]+$`)
	event    = regexp.MustCompile(`^[A-Za-z0-9_./-]{1,100}$`)
)

func (l *languages) EnvDecode(_ context.Context, value string) (err error) {
	*l, err = listOf(language, strings.ToLower(value), "two-letter languages such as en,nl")
	return err
}

func (s *scopes) EnvDecode(_ context.Context, value string) (err error) {
	*s, err = listOf(scope, value, "scopes such as account_read,products_read")
	return err
}

func (e *events) EnvDecode(_ context.Context, value string) error {
	all, err := listOf(event, value, "events such as PUBLICATION_CREATED,PRODUCT_UPDATED")
	*e = nil
	for _, name := range all {
		if !slices.ContainsFunc(*e, func(one string) bool { return strings.EqualFold(one, name) }) {
			*e = append(*e, name)
		}
	}
	return err
}

func listOf(form *regexp.Regexp, value, what string) ([]string, error) {
	all := list(value)
	if len(all) == 0 || slices.ContainsFunc(all, func(one string) bool { return !form.MatchString(one) }) {
		return nil, errors.New("is not a list of " + what)
	}
	return all, nil
}

// list splits at commas and leaves out what is empty.
func list(s string) (parts []string) {
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

type forms struct{ marketplace.Said }

func (f *forms) EnvDecode(_ context.Context, value string) (err error) {
	f.Said, err = marketplace.ParseSaid(value)
	return err
}

type schedule struct{ cron.Schedule }

// EnvDecode reads the setting. The library panics on some malformed time zones, accepts dates that
// never come, and reads every @every below a second as one second.
func (s *schedule) EnvDecode(_ context.Context, value string) (err error) {
	bad := errors.New("is not a cron expression such as */5 * * * * or @every 5m")
	defer func() {
		if recover() != nil {
			err = bad
		}
	}()
	if s.Schedule, err = cron.ParseStandard(value); err != nil {
		return bad
	}
	if every, ok := strings.CutPrefix(value, "@every "); ok {
		if d, err := time.ParseDuration(strings.TrimSpace(every)); err != nil || d < time.Second {
			return errors.New("is more often than once a second")
		}
	}
	if s.Next(time.Now().UTC()).IsZero() {
		return errors.New("never comes")
	}
	return nil
}
