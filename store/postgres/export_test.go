package postgres

import (
	"context"
	"time"
)

// SetLeaseTime has the leases of a database last for another time.
func (d *Database) SetLeaseTime(t time.Duration) { d.leaseTime = t }

// AddAccounts makes the rows of accounts.
func (d *Database) AddAccounts(ctx context.Context, names ...string) error {
	_, err := ask[count](ctx, d, insertAccounts, names)
	return err
}
