// Package memorytest has the temporary folders of a test that imports it in memory.
//
// The tests of a durable store wait for the disk more than they work, and none of them is about
// what a disk keeps when the power fails: a process that is killed loses nothing that the system
// has, wherever the file lies. Benchmarks keep the disk, since it is a part of what they measure.
// It has an effect on Linux alone, where TMPDIR is not set and /dev/shm has room and lets programs
// run.
package memorytest
