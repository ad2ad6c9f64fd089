// Package pace keeps a client inside a cost bucket that a server owns.
//
// The servers in question charge each request a number of points. A request must find room for its
// requested cost before it is executed. The bucket is refilled at a constant restore rate up to its
// limit, and unused points are given back when a request ends. Every answer says how many points
// remain. A client that simply sends and waits for refusals gets the whole rate too, at the price
// of several refusals for each answer; a client that reserves first gets it with none. A [Pacer] is
// the book such a client keeps. It speaks no server's dialect: its numbers are plain points, and
// the code that reads the answers translates them.
//
// # The book
//
// The level is what the server would have left if every reservation that is out were charged in
// full and none refunded. [Pacer.Reserve] takes points from it, and each reservation ends in
// exactly one of four ways: [Reservation.Settle] with the points charged in the end,
// [Reservation.Return] when the server never executed the request, [Reservation.Lost] when that is
// unknown, which counts as spent; [Reservation.Throttled] when the server refused for lack of
// points. A reservation that is not ended holds its points for ever, so end each.
//
// An answer's remaining points cannot say which of the other requests under way had been charged
// when it was written. The truth lies between remaining and remaining less all other reservations,
// so the level is moved into that span and no further: a lone request adopts the number as it is,
// several correct each other, and the book is never more hopeful than the server.
//
// After a start nothing is known, and a bucket assumed full costs a refusal for each request sent
// before the first answer. So the bucket is assumed empty, and until the first answer one request
// at a time goes out; a nearly free one need not wait for its points.
//
// # What is believed
//
// One wrong answer must not stop the client. A limit or a restore rate may be more than four times,
// or less than a quarter of, the one believed. It is then adopted only once a second answer in a
// row says about the same. None is adopted below a twentieth of the bucket, or a fiftieth of the
// rate, that were assumed. A remaining above the limit counts as the limit, and a debt of more than
// a tenth of it as a tenth. A charge above the limit counts as the points reserved.
//
// A refusal may come without any figure, from a proxy for example. It costs the time in which the
// request's points are restored, not a second and more; more than two refusals in a row double that
// time.
//
// A minute after the last answer, a request that only points hold back is sent all the same, alone.
// Its answer mends the book. Ten minutes after the last answer limit, rate and other clients' use
// are forgotten. A Retry-After is kept to its end. [Snapshot] says what the first request in line
// waits for and until when.
//
// # Other clients
//
// Several programs may draw on one bucket. When answers keep coming in lower than the book, the
// difference per second is what the others use. It is taken off the restore rate, and a cushion the
// size of the recent surprises is kept in the bucket. A cushion wastes nothing: points that lie in
// the bucket are lost only while the bucket is full.
//
// # Order
//
// Requests are granted in order of priority, the lower number first, and in order of arrival within
// one. The first in line is never overtaken by a smaller one behind it, so a large request is not
// starved by its equals. Headroom keeps points free that less urgent requests may not touch: an
// urgent one then finds them at once, however long the backlog. Under a backlog the level settles
// just above the headroom, far from full, and the whole restore rate is used.
package pace
