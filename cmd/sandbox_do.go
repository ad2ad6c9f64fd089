package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/pubsync/pubsync/cmd/internal/demo"
	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

const mostAnswer = 64 << 20

type sandboxDo struct {
	At string `default:"http://${sandboxListen}" help:"Address of the sandbox."`
	jsonFlag
	sandbox.Order
}

func (*sandboxDo) Help() string {
	return "Orders, where an id may be any for one that the sandbox picks:\n\n  " +
		strings.Join(append([]string{"list: the import list, with the ids"}, sandbox.Orders()...), "\n  ")
}

func (d *sandboxDo) Run(ctx context.Context, a *app) error {
	if d.Do[0] == "list" {
		return d.list(ctx, a)
	}
	var done sandbox.Outcome
	if err := d.ask(ctx, http.MethodPost, "/sandbox/orders", d.Order, &done); err != nil {
		return err
	}
	if d.JSON {
		return a.printJSON(done)
	}
	_, err := fmt.Fprintln(a.stdout, strings.Join(append([]string{say.Harmless(done.Said)}, done.IDs...), "\n  "))
	return err
}

func (d *sandboxDo) list(ctx context.Context, a *app) error {
	var list struct {
		Publications []sandbox.Line `json:"publications"`
	}
	if err := d.ask(ctx, http.MethodGet, "/sandbox/publications", nil, &list); err != nil {
		return err
	}
	if d.JSON {
		return a.printJSON(list)
	}
	var rows [][]string
	for _, p := range list.Publications {
		price, stock := "", 0
		for i, v := range p.Variants {
			if stock += v.Quantity; i == 0 {
				price = v.MSRP
			}
		}
		rows = append(rows,
			[]string{p.ID, p.Status, price, strconv.Itoa(stock), strconv.Itoa(len(p.Variants)), p.Title})
	}
	return say.Table(a.stdout, []string{"ID", "STATUS", "PRICE", "STOCK", "VARIANTS", "TITLE"}, rows)
}

func (d *sandboxDo) ask(ctx context.Context, method, path string, order, into any) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	body, err := json.Marshal(order)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(d.At, "/")+path, bytes.NewReader(body))
	if err != nil {
		return exit.Usage("--at is not an address such as http://%s", demo.Listen)
	}
	req.Header.Set("Content-Type", "application/json")
	none := func(format string, args ...any) error {
		return &desk.Error{Exit: desk.ExitMarketplace, Err: fmt.Errorf(format, args...)}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return none("no sandbox at %s: start one with pubsync sandbox, or name its address with --at (%w)", d.At,
			errors.Unwrap(err))
	}
	defer resp.Body.Close() //nolint:errcheck // it was read
	data, err := io.ReadAll(io.LimitReader(resp.Body, mostAnswer))
	var refused struct{ Error string }
	switch {
	case err != nil:
		return fmt.Errorf("read the sandbox's answer: %w", err)
	case resp.StatusCode == http.StatusOK && json.Unmarshal(data, into) == nil:
		return nil
	case json.Unmarshal(data, &refused) == nil && refused.Error != "":
		return exit.Usage("%s", say.Harmless(refused.Error))
	default:
		return none("what answers at %s (%s) is no sandbox", d.At, resp.Status)
	}
}
