// Package probe checks the shop while its breaker is open. When the shop is back, it makes the
// publications due that wait for it.
//
// # What it keeps
//
//   - A maintenance of seconds is no pause of minutes, whatever Retry-After says. An adapter with
//     a check is asked every thirty seconds of a pause longer than a minute, and at once when a
//     person asks for something. A single run waits meanwhile, and says for what.
//   - No price is written to a shop that says that it sells in another currency. It is checked at
//     start, after each resync, and before a write when the last check was more than a minute ago
//     or before the last sweep.
//   - What a look meets of a shop that refuses everything is told in the words of the shop's check,
//     which are doctor's, and is told no more once it is mended.
//   - A publication that is blocked because the shop refused everything is tried again once the
//     shop's check passes, or the shop accepts another product.
package probe
