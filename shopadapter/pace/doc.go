// Package pace keeps a client inside a cost bucket that a server owns. It speaks no server's dialect:
// its numbers are plain points.
//
// The level of a [Pacer] is what the server would have left if every reservation that is out were
// charged in full. An answer's remaining cannot say which of the others were charged when it was
// written, so the level is moved between remaining and remaining less all of them, and no further:
// it is never more hopeful than the server. At a start the bucket counts as empty.
//
// Others may draw on the same bucket. What answers are lower than the level is averaged and taken
// off the restore rate, and a cushion of some seconds of it stays in the bucket. It wastes nothing:
// points are lost only while the bucket is full.
//
// No absurd figure stops work for ever. A minute after the last answer a request that points alone
// hold back is sent all the same, alone, and its answer mends the book.
//
// The lower priority number goes first, and first come within one. The first in line is never
// overtaken by a smaller one. Headroom keeps points that less urgent requests may not touch.
package pace
