package store

// State is where a publication stands, as its record says.
type State string

// The states: a publication is in the first that fits. Behind the semicolon stands when it is tried again.
const (
	StateBlocked   State = "blocked"   // the merchant must mend something; when asked, or when the check passes
	StateRejected  State = "rejected"  // the shop refuses it as the supplier gives it; when that changes, or when asked
	StateHeld      State = "held"      // a brake holds a change; when approved, or when it is taken back upstream
	StatePending   State = "pending"   // new, a draft, about to leave, or failed for now; at once, then with backoff
	StatePartial   State = "partial"   // on sale without some variants or pictures; when that changes, or when asked
	StateLive      State = "live"      // on sale as last read, or off sale by the merchant's rule; when it changes
	StateWithdrawn State = "withdrawn" // gone from the list, and out of sale; when it is listed again
)

// States lists the states in that order.
func States() []State {
	return []State{StateBlocked, StateRejected, StateHeld, StatePending, StatePartial, StateLive, StateWithdrawn}
}

// Status is what the marketplace holds of a publication or is told; "" is nothing. The marketplace has others, too.
type Status string

// The statuses that are reported.
const (
	StatusSuccess Status = "success"
	StatusFailed  Status = "failed"
)

// ProblemKind says who can mend a problem; "" is none.
type ProblemKind string

// The kinds of problem.
const (
	ProblemTransient ProblemKind = "transient" // time
	ProblemRejected  ProblemKind = "rejected"  // the supplier
	ProblemBlocked   ProblemKind = "blocked"   // the merchant
	ProblemWaiting   ProblemKind = "waiting"   // the marketplace, which has nothing to show yet
)

// HoldKind is what a brake withholds.
type HoldKind string

// The kinds of hold.
const (
	HoldPrice      HoldKind = "price"
	HoldFirstPrice HoldKind = "first-price"
	HoldRemoval    HoldKind = "removal"
	HoldForeign    HoldKind = "foreign" // taking over what another tool made
	HoldRules      HoldKind = "rules"   // a price by other rules, though no setting has changed
	HoldDrift      HoldKind = "drift"   // restoring a price that was changed in the shop, as many others were
)

// HoldKinds lists the kinds of hold.
func HoldKinds() []HoldKind {
	return []HoldKind{HoldPrice, HoldFirstPrice, HoldRemoval, HoldForeign, HoldRules, HoldDrift}
}

// RemovalReason is why a publication leaves the shop; "" is that it stays.
type RemovalReason string

// The reasons for a removal.
const (
	RemovalAbsent     RemovalReason = "absent" // gone from the import list
	RemovalNoListing  RemovalReason = "no-listing"
	RemovalNoVariants RemovalReason = "no-variants"
)
