package conform_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/http/conform"
)

// TestExampleServersKeepTheLaws holds each of the examples in other languages to the laws.
func TestExampleServersKeepTheLaws(t *testing.T) {
	if testing.Short() {
		t.Skip("the whole book, three times")
	}
	for _, example := range []struct {
		language string
		command  func(port, dir string) []string
	}{
		{"node", func(port, dir string) []string {
			return []string{"../example/server.mjs", port, filepath.Join(dir, "shop.json")}
		}},
		{"python3", func(port, dir string) []string {
			return []string{"../example/server.py", port, filepath.Join(dir, "shop.db")}
		}},
		{"php", func(port, _ string) []string { return []string{"-S", "127.0.0.1:" + port, "../example/server.php"} }},
	} {
		t.Run(example.language, func(t *testing.T) {
			program, err := exec.LookPath(example.language)
			if err != nil {
				t.Skipf("there is no %s on this machine", example.language)
			}
			dir, port := t.TempDir(), freePort(t)
			address := "http://127.0.0.1:" + port
			start := func() (kill func()) {
				cmd := exec.CommandContext(t.Context(), program, example.command(port, dir)...)
				cmd.Env = append(os.Environ(), "SHOP_TOKEN="+token, "SHOP_FILE="+filepath.Join(dir, "shop.json"))
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				answers(t, address+"/health")
				return func() {
					_ = cmd.Process.Kill() //nolint:errcheck // it may have ended
					_ = cmd.Wait()         //nolint:errcheck // it was killed
				}
			}
			kill := start()
			defer func() { kill() }()
			endpoint := conform.Endpoint{
				URL:    address,
				Token:  token,
				Client: client(),
				Restart: func(context.Context) error {
					kill()
					kill = start()
					return nil
				},
				DeleteByHand: func(ctx context.Context, listing string, _ shopadapter.PublicationID) error {
					return deletePage(ctx, address+"/p/"+listing)
				},
			}
			expect(t, run(t, endpoint))
		})
	}
}

// deletePage is how the owner of an example deletes a product by hand.
func deletePage(ctx context.Context, page string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodDelete, page, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusNoContent {
		return fmt.Errorf("the shop answered %d", res.StatusCode)
	}
	return nil
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
}

// answers waits until a server that was started answers.
func answers(t *testing.T, address string) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if res, err := http.Get(address); err == nil {
			_ = res.Body.Close()
			return
		}
	}
	t.Fatalf("%s: got no answer, want one", address)
}
