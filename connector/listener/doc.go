// Package listener serves the sockets of a worker, and accepts the marketplace's webhooks.
//
// Senders at a public address may hold on to connections, send slowly, send much, or send nothing.
// Three limits bound what they cost:
//
//   - The connection limiter bounds the open connections of a socket, and makes room for the next
//     one by closing a quiet one. An authenticated connection is kept until it is answered.
//   - The body limiter keeps 16 KiB of each body, and a few larger ones whole. Of these the slowest
//     gives way to the next.
//   - The server's timeouts end every request that is not sent in time, or whose answer is not read
//     in time.
//
// # What it keeps
//
//   - A webhook is acknowledged only once what it points at is durable.
//   - Where one app serves several accounts, the signed webhook of an account that is not known here
//     is acknowledged and counted, and leads to nothing.
//   - Unsigned deliveries at the address of signed ones are told from those with another secret,
//     and the log says what to do.
//   - Status, a metric and the log show deliveries that are refused in a row before the marketplace
//     deletes the registration, as far as they arrive. The row ends with an acknowledged delivery,
//     with a new registration, after two days without a refusal, and with the process.
//   - With a full disk, webhooks are refused with 503 and none is lost that was acknowledged. That
//     is logged once, and ends without a restart.
//   - Ten thousand webhooks in a burst while the shop is down are each acknowledged within the
//     marketplace's five seconds, in bounded memory. What they name is looked at once, the most
//     urgent first.
//   - A sender that holds connections, or sends slowly, much or nothing, keeps no webhook out and
//     uses no file handle that store or shop need.
//   - The memory of bodies is bounded: 16 KiB each, and 16 larger ones at a time of up to 1 MiB. An
//     unfinished large body gives way to others. An unsigned body beyond 64 KiB is not parsed: it
//     leads to one light sweep.
//   - A warning that a stranger can provoke is logged once a minute, with the number of times.
package listener
