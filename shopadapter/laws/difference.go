package laws

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// mostDiffering bounds the lines that a difference shows.
const mostDiffering = 20

// difference is the lines of JSON that differ between two values of one type, "" where the values
// are equal.
func difference(before, after any) string {
	if reflect.DeepEqual(before, after) {
		return ""
	}
	was, is := linesOf(before), linesOf(after)
	if len(was) == len(is) { // line by line
		var out []string
		for i := range was {
			if was[i] != is[i] {
				out = append(out, "- "+was[i], "+ "+is[i])
			}
		}
		if len(out) > 0 {
			return shortened(out)
		}
		return fmt.Sprintf("- %#v\n+ %#v", before, after) // what JSON does not show
	}
	begin := 0
	for begin < min(len(was), len(is)) && was[begin] == is[begin] {
		begin++
	}
	end := 0
	for end < min(len(was), len(is))-begin && was[len(was)-1-end] == is[len(is)-1-end] {
		end++
	}
	var out []string
	for _, line := range was[begin : len(was)-end] {
		out = append(out, "- "+line)
	}
	for _, line := range is[begin : len(is)-end] {
		out = append(out, "+ "+line)
	}
	return shortened(out)
}

func linesOf(v any) []string {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return []string{fmt.Sprintf("%#v", v)}
	}
	return strings.Split(string(data), "\n")
}

func shortened(lines []string) string {
	if more := len(lines) - mostDiffering; more > 0 {
		lines = append(lines[:mostDiffering:mostDiffering], fmt.Sprintf("and %d lines more", more))
	}
	return strings.Join(lines, "\n")
}
