// Package publication holds every rule about one publication: how the marketplace's listing becomes the shop's product, what a change of it is, what a brake
// holds, in which state it stands, and what the marketplace is owed. It is pure: it reads no clock, store, network or log, starts nothing, and is told
// what it needs as data. Other packages carry its answers out, or print them; none of them assigns a field of a record that the rules read.
//
// A look begins with [Decider.Decide], from the record, its mark and what was read. The [Decision] names the next step. The worker carries the step out,
// and Compared or Concluded decide what follows, until a decision settles the look: [Decision.Settlement] is the next record, the next mark and the report
// that is owed. A dry run does the same with a shop that takes everything.
//
// Each event outside of a look is a transition of its own: a function that changes a settlement, and reports whether there is something to write:
//
//	Listed.Apply    a sweep met the entry on the list
//	Absent          an enumeration did not, and the marketplace says that it is gone
//	Verdict.Apply   the brake judged the removals that were found together
//	Retry, Approve  a person asks for a look, or lets a held change through
//	Acknowledge     the marketplace took a report; RefuseReport: it did not; Vanished: it knows the publication no longer
//	Drift.Apply     the shop's listings show what somebody did there by hand
//	Outage.Apply    the shop has been in trouble for too long
//	Revision.Apply  the rules have changed by which it stands in the shop
//	Adopt, Doubt    the store was lost, or is a backup that was put back
//
// The golden tables testdata/decide.golden and testdata/state.golden hold all of this: from every state, by all that may be read, and by every way in which
// a look may end.
package publication
