// Package say is how the program speaks to people: text that is safe on a terminal, tables, times,
// log records, and the sentences that more than one command prints.
package say
