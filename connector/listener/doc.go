// Package listener serves the sockets of a worker, and takes the marketplace's webhooks.
//
// A public address meets senders that hold on to connections, send slowly, much or nothing. Three limits keep them from costing anything:
//
//   - The connection limiter bounds the open connections of a socket, and makes room for the next one by closing a quiet one. A connection whose sender is
//     authenticated is kept until it is answered.
//   - The body limiter keeps 16 KiB of each body, and the whole of few larger ones, of which the slowest gives way.
//   - The server's own timeouts end every request that is not sent, or not read, in time.
package listener
