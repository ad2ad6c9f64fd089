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

// anyPublication in place of an id lets the sandbox pick a publication.
const anyPublication = "any"

// mostAnswer bounds what is read of a sandbox's answer, in bytes.
const mostAnswer = 64 << 20

// sandboxDo has a command for each order that the sandbox carries out.
type sandboxDo struct {
	At string `default:"http://${sandboxListen}" help:"Address of the sandbox."`
	jsonFlag

	List      doList      `cmd:"" help:"The import list, with the ids that the others take."`
	Add       doAdd       `cmd:"" help:"The retailer imports products."`
	Price     doPrice     `cmd:"" help:"The supplier changes a price."`
	Stock     doStock     `cmd:"" help:"The supplier has another stock."`
	Text      doText      `cmd:"" help:"The supplier rewrites a title or a description."`
	Images    doImages    `cmd:"" help:"The supplier shows other pictures."`
	Variants  doVariants  `cmd:"" help:"The supplier offers more variants, or fewer."`
	Remove    doRemove    `cmd:"" help:"The retailer takes publications off the import list."`
	Relist    doRelist    `cmd:"" help:"The retailer imports removed publications again."`
	Delay     doDelay     `cmd:"" help:"The marketplace answers late."`
	Throttle  doThrottle  `cmd:"" help:"The marketplace answers that it is throttled."`
	Refuse    doRefuse    `cmd:"" help:"The marketplace refuses reports."`
	Deny      doDeny      `cmd:"" help:"The marketplace denies the token every report, and nothing else."`
	Object    doObject    `cmd:"" help:"The marketplace objects to requests, as to a document that does not validate."`
	Odd       doOdd       `cmd:"" help:"The marketplace gives fields of a listing in another shape than its schema says."`
	Revoke    doRevoke    `cmd:"" help:"The marketplace refuses the token."`
	Uninstall doUninstall `cmd:"" help:"The retailer removes the app: the token of its installation is refused for good."`
	Heal      doHeal      `cmd:"" help:"Ends delays, throttling, refusals and odd shapes, and makes the token good again."`
}

// publicationArg names one publication.
type publicationArg struct {
	ID string `arg:"" help:"A publication, or any for one that the sandbox picks."`
}

func (p publicationArg) ids() []string { return named([]string{p.ID}) }

// named returns the ids of an order, none if the sandbox is to pick.
func named(ids []string) []string {
	if len(ids) == 1 && ids[0] == anyPublication {
		return nil
	}
	return ids
}

// nextFlag ends a fault after some requests.
type nextFlag struct {
	Next int `help:"End after so many requests; 0: with heal."`
}

type doAdd struct {
	Template string `arg:"" optional:"" help:"A product of the catalogue, mug for example; without it the next one."`
	Count    int    `default:"1" help:"How many."`
}

func (o *doAdd) Run(ctx context.Context, a *app, d *sandboxDo) error {
	return d.give(ctx, a, sandbox.Order{Do: "add", Template: o.Template, Count: o.Count})
}

type doPrice struct {
	publicationArg
	Amount  string `arg:"" optional:"" help:"The recommended price, 12.50 say, or a factor for price and cost, x1.1 say."`
	Cost    string `help:"What the retailer pays."`
	Variant string `help:"Only this variant."`
}

func (o *doPrice) Run(ctx context.Context, a *app, d *sandboxDo) error {
	return d.give(ctx, a, sandbox.Order{Do: "price", IDs: o.ids(), Amount: o.Amount, Cost: o.Cost, Variant: o.Variant})
}

type doStock struct {
	publicationArg
	Quantity int    `arg:"" help:"Units of each variant."`
	Variant  string `help:"Only this variant."`
}

func (o *doStock) Run(ctx context.Context, a *app, d *sandboxDo) error {
	return d.give(ctx, a, sandbox.Order{Do: "stock", IDs: o.ids(), Quantity: o.Quantity, Variant: o.Variant})
}

type doText struct {
	publicationArg
	Title    string `arg:"" optional:"" help:"The new title."`
	HTML     string `name:"html" help:"The new description."`
	Language string `default:"en" help:"The language of both."`
}

func (o *doText) Run(ctx context.Context, a *app, d *sandboxDo) error {
	return d.give(ctx, a, sandbox.Order{Do: "text", IDs: o.ids(), Title: o.Title, HTML: o.HTML, Language: o.Language})
}

type doImages struct {
	publicationArg
	Pictures []string `arg:"" help:"Addresses of pictures, or how many the sandbox is to draw."`
}

func (o *doImages) Run(ctx context.Context, a *app, d *sandboxDo) error {
	order := sandbox.Order{Do: "images", IDs: o.ids(), Images: o.Pictures}
	if n, err := strconv.Atoi(o.Pictures[0]); err == nil && len(o.Pictures) == 1 {
		order.Images, order.Count = nil, n
	}
	return d.give(ctx, a, order)
}

type doVariants struct {
	publicationArg
	Count int `arg:"" help:"How many there are afterwards."`
}

func (o *doVariants) Run(ctx context.Context, a *app, d *sandboxDo) error {
	return d.give(ctx, a, sandbox.Order{Do: "variants", IDs: o.ids(), Count: o.Count})
}

type doRemove struct {
	IDs []string `arg:"" name:"id" help:"Publications, or any."`
}

func (o *doRemove) Run(ctx context.Context, a *app, d *sandboxDo) error {
	return d.give(ctx, a, sandbox.Order{Do: "remove", IDs: named(o.IDs)})
}

type doRelist struct {
	IDs []string `arg:"" name:"id" help:"Publications, or any."`
}

func (o *doRelist) Run(ctx context.Context, a *app, d *sandboxDo) error {
	return d.give(ctx, a, sandbox.Order{Do: "relist", IDs: named(o.IDs)})
}

type doDelay struct {
	Delay time.Duration `arg:"" help:"How late, 2s for example."`
	nextFlag
}

func (o *doDelay) Run(ctx context.Context, a *app, d *sandboxDo) error {
	return d.give(ctx, a, sandbox.Order{Do: "delay", Delay: o.Delay.String(), Next: o.Next})
}

type doThrottle struct{ nextFlag }

func (o *doThrottle) Run(ctx context.Context, a *app, d *sandboxDo) error {
	return d.give(ctx, a, sandbox.Order{Do: "throttle", Next: o.Next})
}

type doRefuse struct {
	IDs []string `arg:"" optional:"" name:"id" help:"Publications; without one the reports of all."`
	nextFlag
}

func (o *doRefuse) Run(ctx context.Context, a *app, d *sandboxDo) error {
	return d.give(ctx, a, sandbox.Order{Do: "refuse", IDs: named(o.IDs), Next: o.Next})
}

type doDeny struct{ nextFlag }

func (o *doDeny) Run(ctx context.Context, a *app, d *sandboxDo) error {
	return d.give(ctx, a, sandbox.Order{Do: "deny", Next: o.Next})
}

type doObject struct {
	Message string   `arg:"" help:"The error."`
	IDs     []string `arg:"" optional:"" name:"id" help:"Publications that requests name; without one all."`
	On      string   `enum:",report,content,look,list" default:"" help:"report, content, look or list alone."`
	nextFlag
}

func (o *doObject) Run(ctx context.Context, a *app, d *sandboxDo) error {
	return d.give(ctx, a, sandbox.Order{
		Do: "object", Message: o.Message, On: sandbox.Kind(o.On), IDs: named(o.IDs), Next: o.Next,
	})
}

type doOdd struct {
	Fields []string `arg:"" name:"field" help:"images, category, ean, dropshippingShippingDetails or dropshippingReturns."`
	nextFlag
}

func (o *doOdd) Run(ctx context.Context, a *app, d *sandboxDo) error {
	return d.give(ctx, a, sandbox.Order{Do: "odd", Fields: o.Fields, Next: o.Next})
}

type doRevoke struct{}

func (*doRevoke) Run(ctx context.Context, a *app, d *sandboxDo) error {
	return d.give(ctx, a, sandbox.Order{Do: "revoke"})
}

type doUninstall struct{}

func (*doUninstall) Run(ctx context.Context, a *app, d *sandboxDo) error {
	return d.give(ctx, a, sandbox.Order{Do: "uninstall"})
}

type doHeal struct{}

func (*doHeal) Run(ctx context.Context, a *app, d *sandboxDo) error {
	return d.give(ctx, a, sandbox.Order{Do: "heal"})
}

type doList struct{}

func (*doList) Run(ctx context.Context, a *app, d *sandboxDo) error {
	var list struct {
		Publications []sandbox.Line `json:"publications"`
	}
	if err := d.ask(ctx, http.MethodGet, "/sandbox/publications", nil, &list); err != nil {
		return err
	}
	if d.JSON {
		return a.printJSON(list)
	}
	rows := make([][]string, len(list.Publications))
	for i, p := range list.Publications {
		price, stock := "", 0
		for _, v := range p.Variants {
			if price == "" {
				price = v.MSRP
			}
			stock += v.Quantity
		}
		rows[i] = []string{p.ID, p.Status, price, strconv.Itoa(stock), strconv.Itoa(len(p.Variants)), p.Title}
	}
	return say.Table(a.stdout, []string{"ID", "STATUS", "PRICE", "STOCK", "VARIANTS", "TITLE"}, rows)
}

// give has the sandbox carry out an order, and prints what it did.
func (d *sandboxDo) give(ctx context.Context, a *app, o sandbox.Order) error {
	body, err := json.Marshal(o)
	if err != nil {
		return err
	}
	var done sandbox.Outcome
	if err := d.ask(ctx, http.MethodPost, "/sandbox/orders", body, &done); err != nil {
		return err
	}
	if d.JSON {
		return a.printJSON(done)
	}
	_, err = fmt.Fprintln(a.stdout, strings.Join(append([]string{say.Harmless(done.Said)}, done.IDs...), "\n  "))
	return err
}

// ask makes one request of the sandbox's control.
func (d *sandboxDo) ask(ctx context.Context, method, path string, body []byte, into any) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(d.At, "/")+path, bytes.NewReader(body))
	if err != nil {
		return exit.Usage("--at is not an address such as http://%s", demo.Listen)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return &exit.Error{
			Code: desk.ExitMarketplace,
			Err: fmt.Errorf("no sandbox at %s: start one with pubsync sandbox, or name its address with --at (%w)", d.At,
				errors.Unwrap(err)),
		}
	}
	defer resp.Body.Close() //nolint:errcheck // it was read
	data, err := io.ReadAll(io.LimitReader(resp.Body, mostAnswer))
	if err != nil {
		return fmt.Errorf("read the sandbox's answer: %w", err)
	}
	var refused struct{ Error string }
	switch {
	case resp.StatusCode == http.StatusOK && json.Unmarshal(data, into) == nil:
		return nil
	case json.Unmarshal(data, &refused) == nil && refused.Error != "":
		return exit.Usage("%s", say.Harmless(refused.Error))
	default:
		return &exit.Error{
			Code: desk.ExitMarketplace,
			Err:  fmt.Errorf("what answers at %s (%s) is no sandbox", d.At, resp.Status),
		}
	}
}
