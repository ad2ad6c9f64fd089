package kit

import (
	"context"

	"github.com/pubsync/pubsync/shopadapter"
)

// A WeightUnit is the unit of every weight in a shop that keeps numbers alone.
type WeightUnit string

// EnvDecode reads the unit from a setting.
func (u *WeightUnit) EnvDecode(_ context.Context, value string) error {
	return shopadapter.Choose(u, value, "g", "kg", "lb", "oz")
}

// A LengthUnit is the unit of every length in such a shop.
type LengthUnit string

// EnvDecode reads the unit from a setting.
func (u *LengthUnit) EnvDecode(_ context.Context, value string) error {
	return shopadapter.Choose(u, value, "cm", "mm", "m", "in", "yd")
}
