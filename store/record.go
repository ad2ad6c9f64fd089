package store

import (
	"math"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// Instant is a point in time in milliseconds since 1970, 0 for never: a third of the bytes of a time.Time on disk.
type Instant int64

// MaxID bounds a publication's id, in bytes: a longer one is not kept.
const MaxID = 16 << 10

// Latest is after every time.
const Latest Instant = math.MaxInt64

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

// A Record is all that is remembered of one publication. State follows from the rest; the store only counts by it.
type Record struct {
	ID    string
	State State

	// The source.
	Title     string
	Listing   string
	Product   string
	UpdatedAt string  // the marketplace's, of the content last taken in or of our own report
	ReadAt    Instant // when content was last asked for
	ListedAt  Instant // when it entered the store, or came back after a removal
	// ContentAt is the updatedAt of the content last taken in, where that of our own report stands in UpdatedAt; "" where UpdatedAt is the content's.
	ContentAt string
	// RestSince is since when the figures of a change are taken in, and the rest of it is still to be read; 0: there is no rest.
	RestSince Instant
	// FiguresAt is when figures were last asked for alone, 0 where the content has been read since.
	FiguresAt Instant
	// UntitledSince is when its listing was first read without a title in the languages asked for, 0 while it has one.
	UntitledSince Instant

	// The shop.
	ShopID    string
	URL       string
	ShopState []byte
	OnSale    bool
	Hashes    []byte             // of each field group as last written; the connector's
	HashRule  int                // the version of the rule that made them
	Attempted shopadapter.Fields // field groups sent since the last settled write
	Open      bool               // an attempt was begun whose outcome is not known: the shop may hold what it sent
	Kept      shopadapter.Fields // field groups the merchant edited
	Reset     shopadapter.Fields // field groups the merchant gives back
	Variants  []Variant
	WrittenAt Instant
	Missing   []Picture // images of the product that the listing does not show
	LateSince Instant   // since when some of them could not be fetched; 0: none is late
	LateAt    Instant   // when those are asked for again
	Language  string    // the product's as last written; "" where that is not known

	// The outcome of the last attempt.
	Problem  Problem
	Holds    []Hold
	Approved []Hold
	History  []Event
	Removal  Removal

	// The report.
	Reported    Status  // the status last acknowledged
	ReportedURL string  // and its address, when it differs from URL
	ReportedAt  Instant // when it was acknowledged
	ReportError string  // why the marketplace refuses the report that is owed

	// Claims is the store's own: SKUs, beyond those of Variants, that an attempt claimed which no settlement has ended yet.
	Claims []Claim
}

// A Variant is what was last written of one variant.
type Variant struct {
	ID         string
	ShopID     string
	SKU        string
	Title      string
	Price      string
	Cost       string
	MSRP       string
	Quantity   int
	Backorders bool
	Refused    string // why it is not on sale
	Unpriced   bool   // no price can be made for it now: its figures are those last written
	Supplied   Supply // beside them, the supplier's own figures as last read
}

// A Supply is what the supplier gives for one variant, before any rule of the merchant's. With it
// the figures can be made anew by other rules, without another reading.
type Supply struct {
	Known      bool // else the variant was not read since it entered the record
	Cost       string
	MSRP       string
	Quantity   int
	Backorders bool
}

// A Picture is an image of the product that its listing does not show.
type Picture struct {
	URL    string
	Reason string
	Later  bool // it could not be fetched, and is asked for again; false: the shop refuses it
}

// A Claim is a SKU that a variant holds.
type Claim struct {
	Variant string
	SKU     string
}

// A Problem is what the last attempt met.
type Problem struct {
	Kind     ProblemKind
	Message  string
	Wide     bool    // the whole shop's
	Gone     bool    // the listing was deleted by hand
	Hidden   bool    // the listing was taken out of sale by hand
	Overdue  bool    // for so long that the marketplace is told
	Content  []byte  // a hash of the content that met it
	Attempts int     // in a row
	Since    Instant // the first of them
	Last     Instant
}

// A Hold is a change that a brake withholds: of a variant's price, of the removal, or of the taking over of what another tool made.
type Hold struct {
	Kind    HoldKind
	Variant string
	Old     string
	New     string
	Reason  string
	Since   Instant
}

// An Event is one line of a publication's history.
type Event struct {
	At   Instant
	What string
}

// A Removal is where the taking out of sale stands.
type Removal struct {
	Reason RemovalReason // why it must go
	Go     bool          // judged: to be carried out
	At     Instant       // found, and once done: done
	Done   bool          // the tombstone
	Begun  bool          // the shop has been asked, and may have done it
}

// A Report is the status the marketplace has yet to acknowledge.
type Report struct {
	ID        string
	Seq       uint64 // the store's own: tells this report from one that takes its place
	Status    Status
	URL       string
	UpdatedAt string // of the content that the report is about
	Since     Instant
	Refusals  int     // how often the marketplace refused it
	RefusedAt Instant // the last time, 0 once it is due again whatever the backoff says
}
