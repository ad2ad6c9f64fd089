// Package publication holds every rule about one publication: how the marketplace's listing becomes the
// shop's product, what counts as a change, what a brake holds, in which state the publication is, and
// which report is owed. It is pure: it reads no clock, store, network or log, and gets all data as
// arguments.
//
// A look is Decide, which says the one thing that is to be done now. A step that calls the shop is made
// durable by Begun before it and applied by Ended after it, both to the record as it is in their
// transaction; any other by Ended alone. What happens outside of a look is a function of an Entry: Listed,
// Absent, Observe, Retry, Approve, Decline, Acknowledged, Refused, Follow, TakeOver. A new price rule goes
// into price.go, a new brake into brake.go.
package publication
