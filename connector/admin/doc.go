// Package admin is the admin listener: health, metrics, the dashboard, the login of a browser, and
// the API, each behind the checks that it needs.
//
// A request is checked in this order: its Host, so that no name that was pointed at this machine
// passes for it; its origin, so that no page of another site has a browser act; its token, where
// one is needed; and the store that it names, where it names one. What is behind the checks comes
// from elsewhere as handlers.
//
// # What it keeps
//
//   - The admin listener refuses requests to a foreign host name and from a page of another
//     origin. Off loopback, and wherever a token is set, it refuses requests without the token.
//     Each wrong token slows its sender down for a while.
//   - Sweeps that somebody waits for, and backups, have a number and a time of their own, and
//     leave places for the health paths.
package admin
