// Package chromium drives a real browser for tests that need one.
package chromium

import (
	"context"
	"os"
	"testing"

	"github.com/chromedp/chromedp"
)

// A Browser has no window.
type Browser struct{ ctx context.Context }

// Start starts the browser that PUBSYNC_TEST_CHROMIUM names, until the test ends.
func Start(t *testing.T) *Browser {
	t.Helper()
	path := os.Getenv("PUBSYNC_TEST_CHROMIUM")
	if path == "" {
		t.Skip("PUBSYNC_TEST_CHROMIUM names no Chromium: what only a browser can tell is not looked at")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU)
	ctx, end := chromedp.NewExecAllocator(context.Background(), options...) //nolint:usetesting // it ends after the tabs
	t.Cleanup(end)
	ctx, end = chromedp.NewContext(ctx)
	t.Cleanup(end)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return &Browser{ctx}
}
