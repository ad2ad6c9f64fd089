// Package pace keeps a client inside a cost bucket that a server owns.
//
// The servers in question charge each request a number of points. A request must find room for its requested cost before it is executed, the
// bucket is refilled at a constant restore rate up to its limit, and what a request did not use is given back when it ends. Every answer says how
// many points remain. A client that simply sends and waits for refusals gets the whole rate too, at the price of several refusals for each
// answer; a client that reserves first gets it with none. A [Pacer] is the book such a client keeps. It speaks no server's dialect: its
// numbers are plain points, and whoever reads the answers translates them.
//
// # The book
//
// The level is what the server would have left if every reservation that is out were charged in full and none refunded. [Pacer.Reserve] takes
// points from it, and each reservation ends in exactly one of four ways: [Reservation.Settle] with what was charged in the end,
// [Reservation.Return] when the server never executed the request, [Reservation.Lost] when nobody knows, which counts as spent, and
// [Reservation.Throttled] when the server refused for lack of points. A reservation that is not ended holds its points for ever, so end each.
//
// An answer's remaining points cannot say which of the other requests under way had been charged when it was written. The truth lies between
// remaining and remaining less all other reservations, so the level is moved into that span and no further: a lone request adopts the number as
// it is, several correct each other, and the book is never more hopeful than the server.
//
// After a start nothing is known, and a bucket assumed full costs a refusal for each request sent before the first answer. So the bucket is
// assumed empty, and until the first answer one request at a time goes out; a nearly free one need not wait for its points.
//
// # Other clients
//
// Several programs may draw on one bucket. When answers keep coming in lower than the book, the difference per second is what the others use.
// It is taken off the restore rate, and a cushion the size of the recent surprises is kept in the bucket. A cushion wastes nothing: points that
// lie in the bucket are lost only while the bucket is full.
//
// # Order
//
// Requests are granted in order of priority, the lower number first, and in order of arrival within one. The first in line is never overtaken
// by a smaller one behind it, so a large request is not starved by its equals. Headroom keeps points free that less urgent requests may not
// touch: an urgent one then finds them at once, however long the backlog. Under a backlog the level settles just above the headroom, far from
// full, and the whole restore rate is used.
//
// A Pacer has no goroutine of its own: a timer exists only while somebody waits.
package pace
