package httpshop

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// TestExampleServer holds the example, a shop in another language, to what it is an example of.
func TestExampleServer(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("the example server is written for Node, and there is no node here")
	}
	dir := t.TempDir()
	base, stop := startExample(t, node, dir)
	open := func(token string) shopadapter.Adapter {
		t.Helper()
		a, err := shopadapter.Open(
			Name,
			shopadapter.Options{
				Settings:   map[string]string{"URL": base, "TOKEN": token},
				HTTPClient: &http.Client{Timeout: 10 * time.Second},
			},
		)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	shop := open("s3cret")
	if _, err := shop.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, id := range []shopadapter.PublicationID{"p1", "../a/b?c#d", "__proto__", "ü \"'"} {
		p := laws.Sample(id, 3)
		first, err := shop.Publish(t.Context(), shopadapter.Ref{Publication: id}, p, shopadapter.AllFields)
		if err != nil || first.ID == "" || len(first.Variants) != 3 || !strings.HasPrefix(first.URL, "http://") {
			t.Fatalf("%q: got %+v, %v, want a listing of three variants", id, first, err)
		}
		again, err := shop.Publish(
			t.Context(), shopadapter.Ref{Publication: id, Listing: first.ID}, p, shopadapter.FieldPrice,
		)
		if err != nil || again.ID != first.ID {
			t.Errorf("%q published again: got %q, %v, want %q", id, again.ID, err, first.ID)
		}
	}
	p := laws.Sample("p2", 2)
	p.Variants[1].Price = "0.00"
	if l, err := shop.Publish(t.Context(), shopadapter.Ref{Publication: "p2"}, p, shopadapter.AllFields); err != nil ||
		l.Refused[p.Variants[1].ID] == "" {
		t.Errorf("a variant without a price: got %+v, %v, want it refused", l, err)
	}
	p.Title = ""
	var e *shopadapter.Error
	if _, err := shop.Publish(t.Context(), shopadapter.Ref{Publication: "p3"}, p, shopadapter.AllFields); !errors.As(
		err,
		&e,
	) ||
		e.Kind != shopadapter.Rejected {
		t.Errorf("no title: got %v, want a rejection", err)
	}
	_, err = open("wrong").Publish(t.Context(), shopadapter.Ref{Publication: "p4"}, p, shopadapter.AllFields)
	if !errors.As(err, &e) || !e.ShopWide {
		t.Errorf("a wrong token: got %v, want an error that is shop-wide", err)
	}
	for range 2 {
		if _, err := shop.Unpublish(t.Context(), shopadapter.Ref{Publication: "p1"}, shopadapter.Delete); err != nil {
			t.Error(err)
		}
	}

	// What was acknowledged is there after a kill.
	stop()
	base, stop = startExample(t, node, dir)
	defer stop()
	res, err := http.Get(base + "/health")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var health struct{ Products int }
	if err := json.NewDecoder(res.Body).Decode(&health); err != nil || health.Products != 4 {
		t.Errorf("after a kill: got %+v, %v, want 4 products", health, err)
	}
}

// startExample starts the server on a free port and returns its address.
func startExample(t *testing.T, node, dir string) (base string, stop func()) {
	t.Helper()
	script, err := filepath.Abs("example/server.mjs")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
	cmd := exec.CommandContext(ctx, node, script, "0", filepath.Join(dir, "shop.json"))
	cmd.Env = append(os.Environ(), "SHOP_TOKEN=s3cret")
	cmd.Stderr = t.Output()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop = func() {
		cancel()
		_ = cmd.Wait()
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		stop()
		t.Fatal(err)
	}
	if _, err := fmt.Sscanf(line, "shop at %s", &base); err != nil {
		stop()
		t.Fatalf("the server: got %q, %v, want its address", line, err)
	}
	return base, stop
}
