package store

import "time"

// Backlog is how much is to be done, and what the removal brake counts.
type Backlog struct {
	Due     int // publications that are due to be looked at
	Owed    int // reports that the marketplace has not acknowledged
	Refused int // of these, reports that it has refused
	Removed int // listings that were taken out of sale in the last 24 hours
	OnSale  int // listings that are on sale
}

// RemovalWindow is how far back removals count together.
const RemovalWindow = 24 * time.Hour
