package cmd

import (
	"cmp"
	"context"
	"math"
	"time"

	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/store"
)

type publicationsCommand struct {
	Find  string      `arg:"" optional:"" name:"title" help:"Only those with this id, or with this in their title."`
	State store.State `enum:"${states}," default:"" help:"Only those in this state."`
	Limit int         `default:"0" help:"At most so many; 0 for all."`
	jsonFlag
}

func (p *publicationsCommand) Run(ctx context.Context, a *app) error {
	if p.Limit < 0 {
		return exit.Usage("--limit is below zero")
	}
	q := desk.Query{State: p.State, Find: p.Find, Limit: cmp.Or(p.Limit, math.MaxInt32)}
	return look(a, p.JSON, func(d desk.Desk) (desk.List, error) { return d.Publications(ctx, q) }, a.printPublications)
}

func (a *app) printPublications(all desk.List) {
	rows := make([][]string, len(all.Publications))
	for i, l := range all.Publications {
		next := ""
		if l.NextAttemptAt != 0 {
			next = l.NextAttemptAt.Time().Local().Format(time.DateTime)
		}
		rows[i] = []string{l.ID, string(l.State), l.Title, string(l.Reported), l.URL, next, l.Error}
	}
	say.Table(a.stdout, []string{"ID", "STATE", "TITLE", "REPORTED", "ADDRESS", "NEXT LOOK", "PROBLEM"}, rows)
}
