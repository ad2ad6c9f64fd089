// Package pace keeps a client inside a cost bucket that a server owns.
//
// Each request is charged a number of points before it is executed, and unused ones are given back
// when it ends. The bucket is restored at a constant rate up to its limit, and every answer says how
// many points remain. A client that sends and waits for refusals gets the whole rate at the price of
// several refusals for each answer; one that reserves first gets it with none. A [Pacer] is the book
// of such a client. It speaks no server's dialect: its numbers are plain points.
//
// # The book
//
// The level is what the server would have left if every reservation that is out were charged in full
// and none refunded. An answer's remaining cannot say which of the other requests under way were
// charged when it was written: the truth lies between remaining and remaining less all of them. The
// level is moved into that span and no further, so it is never more hopeful than the server.
//
// After a start nothing is known: the bucket counts as empty, and until the first answer one request
// at a time goes out; a nearly free one need not wait for its points.
//
// Others may draw on the same bucket. By how much answers are lower than the level is averaged and
// taken off the restore rate, and a cushion of the size of the recent surprises stays in the bucket.
// That wastes nothing: points are lost only while the bucket is full, and the cushion never fills it.
//
// # What is believed
//
// No absurd figure stops work for ever: a limit or a rate far below the one assumed counts as a
// small part of that, a remaining above the limit as the limit, a debt as a tenth of it at most. A
// limit below a quarter of the one believed, which would refuse large requests, is believed the
// second time. A minute after the last answer a request that points alone hold back is sent all the same, alone,
// and its answer mends the book.
//
// # Order
//
// The lower priority number first, and first come within one. The first in line is never overtaken
// by a smaller one, so a large request is not starved. Headroom keeps points that less urgent
// requests may not touch, so an urgent one finds them at once, however long the backlog.
package pace
