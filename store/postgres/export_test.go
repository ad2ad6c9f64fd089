package postgres

import "time"

// SetLeaseTime has the leases of a database last for another time.
func (d *Database) SetLeaseTime(t time.Duration) { d.leaseTime = t }
