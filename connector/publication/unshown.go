package publication

import "github.com/pubsync/pubsync/shopadapter"

// A FailedRead is a reading after which it is not known what the marketplace holds of a
// publication.
type FailedRead struct {
	Err    error
	InARow int // how many readings of the publication have failed in a row, with this one
}

// Own is the failure of the publication itself, nil where the failure is the marketplace's: that is
// so at the first failed reading, and while calls to the marketplace are paused.
func (f FailedRead) Own(paused bool) *shopadapter.Error {
	if f.InARow <= 1 || paused {
		return nil
	}
	return shopadapter.Retry("its content cannot be read: %w", f.Err)
}
