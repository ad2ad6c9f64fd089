// Package secrets holds the secrets in use. It reads them again while the worker runs, so that a
// new one needs no restart.
//
// # What it keeps
//
//   - A token that was reset, a new secret of the app and new credentials of the shop need no
//     restart: they are read again from where the old ones were. A token of another account ends
//     the worker.
//   - A new secret of the app and the one before are both valid until the marketplace has used the
//     new one or refused the other. Then the new one seals the token. So a typo can be corrected
//     without a restart.
//   - A secret is read from a regular file of at most 64 KiB, without waiting. Any other file
//     changes nothing, and ends a start.
package secrets
