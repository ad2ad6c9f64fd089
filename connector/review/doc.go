// Package review finds the listings that the adapter would write differently under its present
// settings, and makes them due. See [shopadapter.Reviewer].
//
// # What it keeps
//
//   - With an adapter that is a Reviewer, a changed setting updates listings whose product is
//     unchanged: at the next start, by a retry, and by a full run.
package review
