// Package registration keeps the worker's webhook registered with the marketplace.
//
// # What it keeps
//
//   - No event is registered twice for an address: only events are registered that no active
//     registration of that address has, however the marketplace spells either. An event that the
//     marketplace does not know does not keep the others from being registered.
package registration
