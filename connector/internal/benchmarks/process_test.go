package benchmarks

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter"
	httpshop "github.com/pubsync/pubsync/shopadapter/http"
)

// The variables that make this binary one of the other sides of a benchmark, in a process of its
// own: which, and how many publications it offers.
const (
	sideRole = "CONNECTOR_BENCHMARK_SIDE" // marketplace, shop
	sideSize = "CONNECTOR_BENCHMARK_SIZE"
)

// init is the way into that process: it is this binary, and no test of it runs there. It says its
// address, and ends with its standard input.
func init() {
	var serve func(net.Listener)
	switch os.Getenv(sideRole) {
	case "":
		return
	case "marketplace":
		box := sandbox.New(harness.Unthrottled())
		n, _ := strconv.Atoi(os.Getenv(sideSize)) // what is no number is 0, which the import then misses
		box.AddSound(n)
		serve = func(l net.Listener) { sandbox.Serve(box, l) }
	case "shop":
		serve = func(l net.Listener) { go func() { _ = http.Serve(l, http.HandlerFunc(takeEverything)) }() }
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	serve(l)
	fmt.Println("http://" + l.Addr().String())
	_, _ = io.Copy(io.Discard, os.Stdin) // until whoever started this is gone
	os.Exit(0)
}

// takeEverything is a null shop behind the http adapter.
func takeEverything(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPut {
		http.NotFound(w, r) // it has no list
		return
	}
	var p struct{ Variants []struct{ ID string } }
	if err := json.NewDecoder(r.Body).Decode(&p); err != nil {
		http.Error(w, "no product", http.StatusBadRequest)
		return
	}
	id := path.Base(r.URL.Path)
	l := httpshop.Answer{
		ID:       httpshop.Text(rowOf(id)),
		URL:      httpshop.Text("https://shop.example/product/" + rowOf(id)),
		Variants: httpshop.Texts{},
	}
	for _, v := range p.Variants {
		l.Variants[v.ID] = httpshop.Text(rowOf(v.ID))
	}
	w.Header().Set("Content-Type", "application/json")
	// whoever hangs up wants no answer
	_ = json.NewEncoder(w).Encode(map[string]any{"id": l.ID, "url": l.URL, "variants": l.Variants})
}

// startSide starts the marketplace or the shop in a process of its own, and returns its address and
// its end.
func startSide(tb testing.TB, role string, publications int) (address string, stop func()) {
	tb.Helper()
	self, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), sideRole+"="+role, fmt.Sprint(sideSize, "=", publications))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	stop = func() {
		_ = in.Close()
		_ = cmd.Wait()
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		tb.Fatalf("the %s does not say where it is: %v", role, err)
	}
	address = strings.TrimSpace(line)
	if _, err := url.Parse(address); err != nil {
		stop()
		tb.Fatalf("the %s says %q: %v", role, line, err)
	}
	return address, stop
}

// remoteShop is the http adapter before a shop, with the worker's number of connections.
func remoteShop(tb testing.TB, address string) shopadapter.Adapter {
	tb.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	tb.Cleanup(transport.CloseIdleConnections)
	shop, err := shopadapter.Open(
		httpshop.Name,
		shopadapter.Options{
			Settings:   map[string]string{"URL": address},
			HTTPClient: &http.Client{Transport: transport},
		},
	)
	if err != nil {
		tb.Fatal(err)
	}
	return shop
}
