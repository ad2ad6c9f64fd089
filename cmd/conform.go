package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/connector/desk"
	httpshop "github.com/pubsync/pubsync/shopadapter/http"
	"github.com/pubsync/pubsync/shopadapter/http/conform"
)

type conformCommand struct {
	jsonFlag
}

type conformity struct {
	Held    int              `json:"held"`
	Broken  int              `json:"broken"`
	Skipped int              `json:"skipped"`
	Results []conform.Result `json:"results"`
	Exit    int              `json:"exit"`
	Error   string           `json:"error,omitempty"` // why the laws could not be exercised
}

func (f *conformCommand) Run(ctx context.Context, a *app) error {
	b := *a
	b.env = a.env.With(map[string]string{"SHOP_ADAPTER": httpshop.Name})
	c, _, err := b.setup(config.ToConform)
	if err != nil {
		return err
	}
	client := c.ShopClient()
	defer client.CloseIdleConnections()
	e := conform.Endpoint{URL: c.Adapter["URL"], Token: c.Adapter["TOKEN"], Client: client, Redact: c.Redact}
	said := conformity{Results: []conform.Result{}}
	if err := conform.Ask(ctx, e); err != nil {
		said.Exit, said.Error = desk.ExitShop, e.Redact(err.Error())
		a.print(f.JSON, said, func() {})
		return &desk.Error{Exit: said.Exit, Err: fmt.Errorf("the laws cannot be exercised: %s", said.Error)}
	}
	count := map[conform.Outcome]*int{
		conform.Held: &said.Held, conform.Skipped: &said.Skipped, conform.Broken: &said.Broken,
	}
	conform.Run(ctx, e, func(r conform.Result) {
		said.Results = append(said.Results, r)
		*count[r.Outcome]++
		if !f.JSON {
			a.printLaw(r)
		}
	})
	if ctx.Err() != nil {
		return fmt.Errorf("stopped after %d of %d laws", len(said.Results), len(conform.Laws()))
	}
	if said.Broken > 0 {
		said.Exit = exit.Broken
	}
	a.print(f.JSON, said, func() {
		a.printf("\n%d laws held, %d broken, %d skipped\n", said.Held, said.Broken, said.Skipped)
	})
	return exit.With(said.Exit)
}

func (a *app) printLaw(r conform.Result) {
	text := fmt.Sprintf("%-7s  %-20s  %s\n", r.Outcome, r.Law, r.Sentence)
	if r.Reason != "" {
		text += "         " + r.Reason + "\n"
	}
	for line := range strings.Lines(conform.Transcript(r.Said)) {
		text += "           " + line
	}
	a.printf("%s\n", say.HarmlessLines(strings.TrimSuffix(text, "\n")))
}
