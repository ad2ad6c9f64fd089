package store

// State is where a publication stands. Which one it is in follows from its record; the store counts
// by it.
type State string

// The states, in the order in which they are tried: a publication is in the first that fits. Behind the
// semicolon stands when it is tried again.
const (
	StateBlocked   State = "blocked"   // the merchant must mend something; when asked, or when the check passes
	StateRejected  State = "rejected"  // the shop refuses it as the supplier gives it; when that changes, or when asked
	StateHeld      State = "held"      // a brake holds a change; when approved, or when it is taken back upstream
	StatePending   State = "pending"   // new, or a transient error; at once, then with backoff
	StatePartial   State = "partial"   // on sale without some variants or pictures; when that changes, or when asked
	StateLive      State = "live"      // on sale as last read, or off sale by the merchant's rule; when it changes
	StateWithdrawn State = "withdrawn" // gone from the list, and out of sale; when it is listed again
)

// States lists them in the order in which they are tried.
func States() []State {
	return []State{StateBlocked, StateRejected, StateHeld, StatePending, StatePartial, StateLive, StateWithdrawn}
}

// Status is what the marketplace holds of a publication, or is told of it; "" is nothing. The
// marketplace has others besides those below.
type Status string

// The statuses that are reported.
const (
	StatusSuccess Status = "success"
	StatusFailed  Status = "failed"
)

// ProblemKind says who can mend what keeps a publication from being settled; "" is no problem.
type ProblemKind string

// The kinds of problem.
const (
	ProblemTransient ProblemKind = "transient" // time mends it
	ProblemRejected  ProblemKind = "rejected"  // the supplier mends it
	ProblemBlocked   ProblemKind = "blocked"   // the merchant mends it
	ProblemWaiting   ProblemKind = "waiting"   // the marketplace has nothing to show yet
)

// HoldKind is what a brake withholds.
type HoldKind string

// The kinds of hold.
const (
	HoldPrice      HoldKind = "price"       // the new price of a variant
	HoldFirstPrice HoldKind = "first-price" // the first price of a variant
	HoldRemoval    HoldKind = "removal"     // taking the listing out of sale
	HoldForeign    HoldKind = "foreign"     // taking over what another tool made
	HoldRules      HoldKind = "rules"       // a price by other rules, though no setting of the merchant's has changed
	HoldDrift      HoldKind = "drift"       // putting back a price that was changed in the shop, as many others were
)

// HoldKinds lists them.
func HoldKinds() []HoldKind {
	return []HoldKind{HoldPrice, HoldFirstPrice, HoldRemoval, HoldForeign, HoldRules, HoldDrift}
}

// RemovalReason is why a publication leaves the shop; "" is that it does not.
type RemovalReason string

// The reasons for a removal.
const (
	RemovalAbsent     RemovalReason = "absent"      // gone from the import list
	RemovalNoListing  RemovalReason = "no-listing"  // the entry has no listing
	RemovalNoVariants RemovalReason = "no-variants" // the listing has no variant
)
