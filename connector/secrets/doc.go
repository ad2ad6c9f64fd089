// Package secrets holds the secrets in use. It reads them again while the worker runs, so that a
// new one needs no restart.
//
// # What it keeps
//
//   - A token that was reset, a new secret of the app and new credentials of the shop need no
//     restart: they are read again from where the old ones were. A token of another account ends
//     the worker.
//   - A new secret of the app holds in the place of the one before, which alone opens the token of
//     an installation: the app is installed again.
//   - A secret is read from a regular file of at most 64 KiB, without waiting. Any other file
//     changes nothing, and ends a start.
package secrets
