package medusa

import (
	"context"
	"strings"
)

// Check reads what every call needs of the shop: the store, its currency and tax, the sales channel, the stock location and the shipping profile.
func (a *Adapter) Check(ctx context.Context) error {
	_, err := a.shop(ctx, true)
	return err
}

// Currency is the one that prices are written in.
func (a *Adapter) Currency(ctx context.Context) (string, error) {
	s, err := a.shop(ctx, false)
	return strings.ToUpper(s.currency), err
}
