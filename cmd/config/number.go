package config

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/connector/publication"
)

// The numbers, each with its bounds. A value that no merchant means is a fault, because it would
// soon be on sale.
type (
	markup  struct{ decimal.Decimal } // a percentage, as the next three
	vat     struct{ decimal.Decimal }
	share   struct{ decimal.Decimal }          // that a brake lets pass
	margin  struct{ percent *decimal.Decimal } // nil: none is set
	money   struct{ decimal.Decimal }
	workers int // that write to the shop at a time
	units   int // of stock
	pixels  int // of a picture's side
	few     int // units below which an entry is kept out; 0: it is not
	days    int // of sending above which an entry is kept out; 0: it is not
)

func (m *markup) EnvDecode(_ context.Context, s string) error {
	return percent(&m.Decimal, s, -90, 1000)
}
func (v *vat) EnvDecode(_ context.Context, s string) error { return percent(&v.Decimal, s, 0, 50) }
func (b *share) EnvDecode(_ context.Context, s string) error {
	return percent(&b.Decimal, s, 0, 1_000_000)
}

func (m *margin) EnvDecode(_ context.Context, s string) error {
	m.percent = new(decimal.Decimal)
	return percent(m.percent, s, -99, 1_000_000)
}

func (m *money) EnvDecode(_ context.Context, s string) (err error) {
	m.Decimal, err = number(s)
	if err == nil && m.Abs().GreaterThan(decimal.NewFromInt(1_000_000)) {
		err = errors.New("is not an amount from -1000000 to 1000000")
	}
	return err
}

func (w *workers) EnvDecode(_ context.Context, s string) error { return whole(w, s, 1, 64) }
func (u *units) EnvDecode(_ context.Context, s string) error   { return whole(u, s, 0, 1_000_000) }
func (f *few) EnvDecode(_ context.Context, s string) error     { return whole(f, s, 1, 1_000_000) }
func (d *days) EnvDecode(_ context.Context, s string) error    { return whole(d, s, 1, 365) }
func (p *pixels) EnvDecode(_ context.Context, s string) error  { return whole(p, s, 100, 10_000) }

// An ending is what prices end in. The zero ending is none.
type ending struct{ *publication.Ending }

func (e *ending) EnvDecode(_ context.Context, s string) error {
	parsed, err := publication.ParseEnding(s)
	e.Ending = &parsed
	return err
}

// Bounds are two numbers such as 0.5-3; off are no bounds.
type bounds struct{ publication.Bounds }

func (b *bounds) EnvDecode(_ context.Context, s string) (err error) {
	if s == "off" {
		return nil
	}
	least, most, _ := strings.Cut(s, "-")
	b.Least, err = number(strings.TrimSpace(least))
	if err == nil {
		b.Most, err = number(strings.TrimSpace(most))
	}
	if err != nil || b.Least.IsNegative() || !b.Most.GreaterThan(b.Least) {
		return errors.New("is not two numbers, the lower one first, such as 0.5-3, or off")
	}
	return nil
}

// A span is a time of at least a second.
type span struct{ time.Duration }

func (d *span) EnvDecode(_ context.Context, s string) (err error) {
	if d.Duration, err = time.ParseDuration(s); err != nil || d.Duration < time.Second {
		return errors.New("is not a span of at least 1s such as 24h or 90m")
	}
	return nil
}

func number(s string) (decimal.Decimal, error) {
	d, err := decimal.NewFromString(s)
	if err != nil || len(s) > 20 || d.Exponent() > 6 {
		return decimal.Zero, errors.New("is not a number such as 12.5")
	}
	return d, nil
}

func percent(to *decimal.Decimal, s string, least, most int64) (err error) {
	*to, err = number(s)
	if err == nil && (to.LessThan(decimal.NewFromInt(least)) || to.GreaterThan(decimal.NewFromInt(most))) {
		err = fmt.Errorf("is not from %d to %d: it is a percentage, 21 means 21 %%", least, most)
	}
	return err
}

func whole[T ~int](to *T, s string, least, most int) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < least || n > most {
		return fmt.Errorf("is not a whole number from %d to %d", least, most)
	}
	*to = T(n)
	return nil
}
