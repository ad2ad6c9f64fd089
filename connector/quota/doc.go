// Package quota bounds how often webhooks lead to looks, and the points that looks of unsigned
// webhooks cost.
//
// # What it keeps
//
//   - All looks that unsigned webhooks cause or bring forward cost at most a tenth of the restore
//     rate, with one look always allowed. A look that is due for another reason comes at its own
//     time.
package quota
