// Package jsonlimit bounds a JSON answer before anything is built from it.
//
// A few kilobytes of gzip unfold into megabytes of `{},{},{},`, and each of these empty objects
// becomes some hundred bytes of Go. So the number of bytes is no bound on memory. [Limits] bound
// three things: bytes after decompression, elements and depth. Choose them for the question that
// was asked: a page of a hundred entries with four fields each has no ten thousand elements.
//
// [Read] counts while it reads and stops at the first excess, so what lies beyond a limit is
// neither kept nor received. [Unmarshal] counts before it builds. Both fail with an [*Error] that
// names the limit. There is no partial success: an answer that is too large is no answer.
//
// The count is exact for valid JSON, and a decoder builds nothing from other text. It costs less
// than a tenth of the time that decoding takes.
package jsonlimit
