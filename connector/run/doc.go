// Package run makes single runs: one sweep of the import list, all that is due, the reports. A plan
// is one too, on a store in memory over the real one, with a shop that accepts everything. See package dry.
//
// # What it keeps
//
//   - A run waits for transient errors for as long as its patience lasts, and not for what only a
//     person can mend. See patience.
//   - A run ends once nothing can be done any more. A call that hangs is left behind, and counts.
package run
