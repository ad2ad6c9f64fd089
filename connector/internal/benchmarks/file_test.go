package benchmarks

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/store/memorytest"
)

var updateBenchmarks = flag.String(
	"update.benchmarks",
	"",
	"run the benchmarks whose names match, . for all, and write BENCHMARKS.md anew: takes a quarter of an hour",
)

// Of the repository, from this folder.
const (
	top            = "../../.."
	connectorDir   = "connector/internal/benchmarks"
	programDir     = "cmd/pubsync"
	benchmarksFile = top + "/connector/BENCHMARKS.md"
)

// A measured benchmark is what BENCHMARKS.md says of it: what its own comment says, and its
// figures.
type measured struct {
	name string
	dir  string // relative to the top of the repository
	doc  string
}

// command is what runs a benchmark. Those of the connector as a whole, and of the program, repeat
// what they measure by themselves.
func (m measured) command() []string {
	args := []string{"test", "-run", "^$", "-bench", "^" + m.name + "$", "-timeout", "30m"}
	if m.dir == connectorDir || m.dir == programDir {
		args = append(args, "-benchtime", "1x")
	} else {
		args = append(args, "-benchtime", "200ms", "-benchmem")
	}
	return append(args, "./"+m.dir)
}

// head is what stands before the figures.
func (m measured) head() string {
	return fmt.Sprintf("### %s\n\n%s\n\n```sh\ngo %s\n```\n", m.name, m.doc, quoted(m.command()))
}

func quoted(args []string) string {
	args = slices.Clone(args)
	for i, arg := range args {
		if strings.ContainsAny(arg, "^$") {
			args[i] = "'" + arg + "'"
		}
	}
	return strings.Join(args, " ")
}

// benchmarks are all of the repository, by folder and name.
func benchmarks(t *testing.T) (all []measured) {
	t.Helper()
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") || strings.Contains(path, "testdata") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Benchmark") {
				dir, err := filepath.Rel(top, filepath.Dir(path))
				if err != nil {
					return err
				}
				doc := strings.ReplaceAll(strings.TrimSpace(f.Doc.Text()), "\n\n", "\x00")
				doc = strings.ReplaceAll(strings.ReplaceAll(doc, "\n", " "), "\x00", "\n\n")
				all = append(
					all,
					measured{f.Name.Name, filepath.ToSlash(dir), strings.ReplaceAll(doc, "Wanted:", "**Wanted:**")},
				)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(all, func(a, b measured) int { return strings.Compare(a.dir+" "+a.name, b.dir+" "+b.name) })
	return all
}

// TestBenchmarksFile holds BENCHMARKS.md to the benchmarks: those that it names are those that
// exist, each with the comment and the command of now, and every figure that is claimed is
// measured. With -update.benchmarks it runs them, and writes it.
func TestBenchmarksFile(t *testing.T) {
	all := benchmarks(t)
	if *updateBenchmarks != "" {
		if err := os.WriteFile(benchmarksFile, report(t, all, regexp.MustCompile(*updateBenchmarks)),
			0o644); err != nil { //nolint:gosec // to be read by all
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(benchmarksFile)
	if err != nil {
		t.Fatal(err)
	}
	file := string(data)
	const mend = "go test ./connector/internal/benchmarks -run TestBenchmarksFile -update.benchmarks=NAME"
	for _, m := range all {
		if !strings.Contains(file, m.head()) {
			t.Errorf("%s does not describe %s of %s as it is now: run %s", benchmarksFile, m.name, m.dir, mend)
		}
	}
	if named := strings.Count(file, "\n### Benchmark"); named != len(all) {
		t.Errorf("%s describes %d benchmarks, there are %d: run %s", benchmarksFile, named, len(all), mend)
	}
	for _, c := range claims() {
		if !strings.Contains(file, c.row()) {
			t.Errorf("%s has no figure for %q: run %s", benchmarksFile, c.what, mend)
		}
	}
}

// report runs the benchmarks whose names match and writes what they say, and what the file says of
// the others.
func report(t *testing.T, all []measured, which *regexp.Regexp) []byte {
	var sections, claimed bytes.Buffer
	figures := map[string]map[string]map[string]float64{} // by folder and name
	dirs := map[string]string{}
	kept, dir := keptFigures(), ""
	for _, m := range all {
		if m.dir != dir {
			dir = m.dir
			fmt.Fprintf(&sections, "\n## %s\n", dir)
		}
		dirs[m.name] = dir
		key := dir + " " + m.name
		if figures[key] = kept[key]; which.MatchString(m.name) {
			cmd := exec.CommandContext(t.Context(), "go", m.command()...)
			// this test's own is in memory
			cmd.Dir, cmd.Env = top, append(os.Environ(), "TMPDIR="+memorytest.OnDisk(t))
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%s: %v: %s", m.name, err, out)
			} else {
				t.Logf("%s", out)
				figures[key] = figuresOf(string(out), m.name)
			}
		}
		fmt.Fprintf(&sections, "\n%s\n%s", m.head(), tableOf(figures[key]))
	}
	for _, c := range claims() {
		worst := "not measured"
		if v, ok := c.worst(figures[dirs[c.bench]+" "+c.bench]); ok {
			worst = number(v)
			if c.least == 0 && v > c.most || v < c.least {
				worst += ", not yet"
			}
		}
		fmt.Fprintf(&claimed, "%s %s |\n", c.row(), worst)
	}
	return fmt.Appendf(
		nil,
		preface,
		runtime.Version(),
		runtime.GOOS,
		runtime.GOARCH,
		runtime.NumCPU(),
		&claimed,
		&sections,
	)
}

const preface = `# Benchmarks

What is claimed of pubsync's speed and thrift, and how to measure it. This file is written by one
command, which runs every benchmark of the repository:

` + "```sh\ngo test ./connector/internal/benchmarks -run TestBenchmarksFile -update.benchmarks=. -timeout 60m\n```" + `

A test holds it to the code: the benchmarks described here are those that exist, in the words of their own comments.

**How to read it.** A figure that is a ratio is taken within one run: what is measured and its
yardstick alternate in the same process, so that whatever else the machine does hits both. Those are
the names that begin with ` + "`x-`, end with `%%`, or are `used`" + `. Points, requests and shares are counted
by the sandbox, mostly on a clock of its own, and are the same on every machine. Bytes and
allocations are the same too. Times (anything with s, ms, µs or ns in its name) are those of this
machine while other programs kept it busy: compare them with one another, and with nothing else.

Measured with %s on %s/%s, %d processors.

## What is claimed

The marketplace pays for one import in three seconds, at 50 points a second. So what counts are
points, waiting, and room on a small machine. A figure in microseconds or bytes is bounded where a
user would begin to feel it, and no code is there to go below that. Besides these: ` + "`go test ./...`" + `
takes less than two minutes after the demo, and the static binary has less than 26 MiB (` + "`.ci/run`" + `
holds it to that).

The worst of a benchmark's cases counts, of those that the claim is about.

| Claim | Benchmark | Figure | Wanted | Measured |
|---|---|---|---|---|
%s%s`

// figuresOf reads the output of go test: by case and unit.
func figuresOf(out, name string) map[string]map[string]float64 {
	figures := map[string]map[string]float64{}
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) < 4 ||
			fields[0] != name && !strings.HasPrefix(fields[0], name+"-") && !strings.HasPrefix(fields[0], name+"/") {
			continue
		}
		label := strings.TrimPrefix(
			regexp.MustCompile(`-\d+$`).ReplaceAllString(strings.TrimPrefix(fields[0], name), ""),
			"/",
		)
		units := map[string]float64{}
		for i := 2; i+1 < len(fields); i += 2 {
			if v, err := strconv.ParseFloat(fields[i], 64); err == nil {
				units[fields[i+1]] = v
			}
		}
		figures[label] = units
	}
	return figures
}

// keptFigures is what the file holds, by folder and name.
func keptFigures() map[string]map[string]map[string]float64 {
	data, err := os.ReadFile(benchmarksFile)
	if err != nil {
		return nil // there is none yet
	}
	kept := map[string]map[string]map[string]float64{}
	dir, key := "", ""
	var units []string
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "## "); ok {
			dir, key = name, ""
		}
		if name, ok := strings.CutPrefix(line, "### "); ok {
			key = dir + " " + name
			kept[key] = map[string]map[string]float64{}
		}
		if key == "" || !strings.HasPrefix(line, "| ") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if cells[0] == "case" {
			units = cells
			continue
		}
		row := map[string]float64{}
		for i, cell := range cells {
			if v, err := strconv.ParseFloat(cell, 64); i > 0 && i < len(units) && err == nil {
				row[units[i]] = v
			}
		}
		kept[key][strings.TrimPrefix(cells[0], "all")] = row
	}
	return kept
}

// tableOf is figures as a table, a row for each case.
func tableOf(figures map[string]map[string]float64) string {
	units := map[string]bool{}
	for _, row := range figures {
		for unit := range row {
			units[unit] = true
		}
	}
	columns := slices.Sorted(maps.Keys(units))
	var b strings.Builder
	fmt.Fprintf(&b, "| case | %s |\n|---|%s\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
	for _, label := range slices.Sorted(maps.Keys(figures)) {
		name := label
		if name == "" {
			name = "all"
		}
		fmt.Fprintf(&b, "| %s |", name)
		for _, unit := range columns {
			v, ok := figures[label][unit]
			if !ok {
				b.WriteString(" |")
				continue
			}
			fmt.Fprintf(&b, " %s |", number(v))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// number is a figure with as many digits as say something.
func number(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v >= 1000 || v <= -1000:
		return strconv.FormatFloat(v, 'f', 0, 64)
	default:
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
}
