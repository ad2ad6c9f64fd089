package store

import (
	"encoding/json"
	"fmt"
	"time"
)

// Instant is a point in time in milliseconds since 1970, 0 for never: a third of the bytes of a time.Time on disk.
type Instant int64

// At is the instant of t; the zero time is 0.
func At(t time.Time) Instant {
	if t.IsZero() {
		return 0
	}
	return Instant(t.UnixMilli())
}

// Time is the instant in UTC, or the zero time.
func (i Instant) Time() time.Time {
	if i == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(i)).UTC()
}

// A Record is all that is remembered of one publication. State is the connector's word on the rest; the store only counts by it.
type Record struct {
	ID    string `json:"-"`
	State string `json:"s"`

	// The source.
	Title     string  `json:"t,omitempty"`
	Listing   string  `json:"l,omitempty"`
	Product   string  `json:"p,omitempty"`
	UpdatedAt string  `json:"u,omitempty"`  // the marketplace's, of the content last taken in or of our own report
	ReadAt    Instant `json:"r,omitempty"`  // when content was last asked for
	ListedAt  Instant `json:"li,omitempty"` // when it entered the store, or came back after a removal

	// The shop.
	ShopID    string    `json:"i,omitempty"`
	URL       string    `json:"url,omitempty"`
	ShopState []byte    `json:"ss,omitempty"`
	OnSale    bool      `json:"on,omitempty"`
	Hashes    []byte    `json:"h,omitempty"`  // of each field group as last written; the connector's
	HashRule  int       `json:"hr,omitempty"` // the version of the rule that made them
	Attempted uint16    `json:"at,omitempty"` // field groups sent since the last settled write
	Kept      uint16    `json:"k,omitempty"`  // field groups the merchant edited
	Reset     uint16    `json:"rs,omitempty"` // field groups the merchant gives back
	Variants  []Variant `json:"v,omitempty"`
	WrittenAt Instant   `json:"w,omitempty"`

	// The outcome of the last attempt.
	Problem  Problem `json:"e,omitzero"`
	Holds    []Hold  `json:"ho,omitempty"`
	Approved []Hold  `json:"ap,omitempty"`
	History  []Event `json:"hi,omitempty"`
	Removal  Removal `json:"rm,omitzero"`
	Foreign  bool    `json:"f,omitempty"` // success on the marketplace before we ever wrote it

	// The report.
	Reported    string  `json:"rp,omitempty"` // the status last acknowledged
	ReportedURL string  `json:"ru,omitempty"` // and its address, when it differs from URL
	ReportedAt  Instant `json:"ra,omitempty"` // when it was acknowledged
	Refused     string  `json:"rx,omitempty"` // the report that the marketplace refused
	ReportError string  `json:"re,omitempty"` // and why
}

// A Variant is what was last written of one variant.
type Variant struct {
	ID         string `json:"i"`
	ShopID     string `json:"s,omitempty"`
	SKU        string `json:"k,omitempty"`
	Title      string `json:"t,omitempty"`
	Price      string `json:"p,omitempty"`
	Cost       string `json:"c,omitempty"`
	MSRP       string `json:"m,omitempty"`
	Quantity   int    `json:"q,omitempty"`
	Backorders bool   `json:"b,omitempty"`
	Refused    string `json:"r,omitempty"` // why it is not on sale
}

// A Problem is what the last attempt met.
type Problem struct {
	Kind     string  `json:"k,omitempty"` // transient, rejected, blocked, waiting
	Message  string  `json:"m,omitempty"`
	Wide     bool    `json:"w,omitempty"` // the whole shop's
	Gone     bool    `json:"g,omitempty"` // the listing was deleted by hand
	Overdue  bool    `json:"o,omitempty"` // for so long that the marketplace is told
	Content  []byte  `json:"c,omitempty"` // a hash of the content that met it
	Attempts int     `json:"n,omitempty"` // in a row
	Since    Instant `json:"s,omitempty"` // the first of them
	Last     Instant `json:"l,omitempty"`
}

// A Hold is a change that a brake withholds: of a variant's price, of the removal, or of the taking over of what another tool made.
type Hold struct {
	Kind    string  `json:"k"` // price, removal, foreign
	Variant string  `json:"v,omitempty"`
	Old     string  `json:"o,omitempty"`
	New     string  `json:"n,omitempty"`
	Reason  string  `json:"r,omitempty"`
	Since   Instant `json:"s,omitempty"`
}

// An Event is one line of a publication's history.
type Event struct {
	At   Instant `json:"a"`
	What string  `json:"w"`
}

// A Removal is where the taking out of sale stands.
type Removal struct {
	Reason string  `json:"r,omitempty"` // why it must go: absent, no-listing, no-variants
	Go     bool    `json:"g,omitempty"` // judged: to be carried out
	At     Instant `json:"a,omitempty"` // found, and once done: done
	Done   bool    `json:"d,omitempty"` // the tombstone
}

// A Report is the status the marketplace has yet to acknowledge.
type Report struct {
	ID        string  `json:"-"`
	Seq       uint64  `json:"q"`
	Status    string  `json:"s"` // success or failed
	URL       string  `json:"u,omitempty"`
	UpdatedAt string  `json:"c,omitempty"` // of the content that the report is about
	Since     Instant `json:"t,omitempty"`
}

func decodeRecord(id string, data []byte) (Record, error) {
	r := Record{}
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("%w: record %q: %w", ErrCorrupt, id, err)
	}
	r.ID = id
	return r, nil
}
