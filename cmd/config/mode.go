package config

import (
	"context"
	"errors"
	"log/slog"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
)

// The settings whose value is one of a few words.
type (
	variants  string
	logFormat string
	priceBase string
	msrpVAT   string
	noMSRP    string
	onRemoved string
	onDrift   string

	details       string
	weightUnit    string
	dimensionUnit string
	imageMethod   string
	shippingCosts string
	onSoldOut     string
	publishAs     string
)

// A logLevel is the lowest level that is logged.
type logLevel struct{ slog.Level }

func (l *logLevel) EnvDecode(_ context.Context, s string) error {
	if l.UnmarshalText([]byte(s)) != nil {
		return errors.New("is not debug, info, warn or error")
	}
	return nil
}

func (m *variants) EnvDecode(_ context.Context, s string) error {
	return shopadapter.Choose(m, s, "auto", "on", "off")
}

func (m *logFormat) EnvDecode(_ context.Context, s string) error {
	return shopadapter.Choose(m, s, "auto", "text", "json")
}

func (m *priceBase) EnvDecode(_ context.Context, s string) error {
	return shopadapter.Choose(m, s, "msrp", "cost")
}

func (m *msrpVAT) EnvDecode(_ context.Context, s string) error {
	return shopadapter.Choose(m, s, "included", "excluded")
}

func (m *noMSRP) EnvDecode(_ context.Context, s string) error {
	return shopadapter.Choose(m, s, "refuse", "cost")
}

func (m *onDrift) EnvDecode(_ context.Context, s string) error {
	return shopadapter.Choose(m, s, "correct", "report")
}

func (m *onRemoved) EnvDecode(_ context.Context, s string) error {
	return shopadapter.Choose(m, s, "unpublish", "delete", "keep")
}

func (m *details) EnvDecode(_ context.Context, s string) error {
	return shopadapter.Choose(m, s, "on", "off")
}

func (m *weightUnit) EnvDecode(_ context.Context, s string) error {
	return shopadapter.Choose(m, s, "kg", "g", "lb", "oz")
}

func (m *dimensionUnit) EnvDecode(_ context.Context, s string) error {
	return shopadapter.Choose(m, s, "cm", "mm", "m", "in", "yd")
}

func (m *imageMethod) EnvDecode(_ context.Context, s string) error {
	return shopadapter.Choose(m, s, "FIT", "FILL", "CROP", marketplace.Original)
}

// forms are what the setting says of the marketplace's forms.
type forms struct{ marketplace.Said }

func (f *forms) EnvDecode(_ context.Context, s string) (err error) {
	f.Said, err = marketplace.ParseSaid(s)
	return err
}

func (m *shippingCosts) EnvDecode(_ context.Context, s string) error {
	return shopadapter.Choose(m, s, "off", "add", "floor")
}

func (m *onSoldOut) EnvDecode(_ context.Context, s string) error {
	return shopadapter.Choose(m, s, "show", "hide")
}

func (m *publishAs) EnvDecode(_ context.Context, s string) error {
	return shopadapter.Choose(m, s, "live", "draft")
}
