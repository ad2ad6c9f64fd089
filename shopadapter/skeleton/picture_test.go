package skeleton

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/fetch"
)

// A library of these tests: what happens to a picture is in its address.
func library(uploaded *[]string) Library {
	return Library{
		Try: func(ctx context.Context, addresses []string) map[string]error {
			failed := map[string]error{}
			for _, address := range addresses {
				switch address {
				case "silent":
					failed[address] = errors.New("its server did not answer")
				case "private":
					failed[address] = fetch.ErrPrivate
				}
			}
			return failed
		},
		Have: func(_ context.Context, addresses []string) (map[string]string, error) {
			have := map[string]string{}
			for _, address := range addresses {
				if strings.HasPrefix(address, "old") {
					have[address] = "id-" + address
				}
			}
			return have, nil
		},
		Upload: func(ctx context.Context, address string) (string, error) {
			*uploaded = append(*uploaded, address)
			switch address {
			case "page":
				return "", fmt.Errorf("it is a page: %w", fetch.ErrUnfit)
			case "refused":
				return "", shopadapter.Reject("the shop refuses it")
			case "away":
				return "", &LeftOut{errors.New("answered 503")}
			case "down":
				return "", shopadapter.Retry("the shop is away")
			case "slow1", "slow2":
				select {
				case <-ctx.Done():
					return "", ctx.Err()
				case <-time.After(20 * time.Second):
				}
			}
			return "id-" + address, nil
		},
		Clean: func(text string) string { return strings.ReplaceAll(text, "s3cret", "") },
	}
}

func TestLoad(t *testing.T) {
	for _, row := range []struct {
		name, addresses string
		ids             string
		missing         string // each with + where another try may help
		uploaded        string
		took            time.Duration
	}{
		{"none", "", "", "", "", 0},
		{"in their order", "new old", "id-new id-old", "", "new", 0},
		{"one that is there is not loaded again", "old", "id-old", "", "", 0},
		{"a silent server costs its picture", "silent new", "id-new", "silent+", "new", 0},
		{"a private address is refused", "private new", "id-new", "private", "new", 0},
		{"what is no picture is refused", "page new", "id-new", "page", "page new", 0},
		{"what the shop refuses is refused", "refused new", "id-new", "refused", "refused new", 0},
		{"what cannot be had comes later", "away new", "id-new", "away+", "away new", 0},
		{"slow ones share half a minute", "slow1 slow2 new", "id-slow1", "slow2+ new+", "slow1 slow2", 30 * time.Second},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var uploaded []string
				began := time.Now()
				ids, missing, err := library(&uploaded).Load(t.Context(), strings.Fields(row.addresses))
				if err != nil {
					t.Fatal(err)
				}
				var without []string
				for _, p := range missing {
					later := ""
					if p.Later {
						later = "+"
					}
					without = append(without, p.URL+later)
				}
				got := []string{strings.Join(ids, " "), strings.Join(without, " "), strings.Join(uploaded, " ")}
				if diff := cmp.Diff([]string{row.ids, row.missing, row.uploaded}, got); diff != "" {
					t.Errorf("ids, missing, uploaded (-want +got):\n%s", diff)
				}
				if took := time.Since(began); took != row.took {
					t.Errorf("it took %s, want %s", took, row.took)
				}
			})
		})
	}
}

// A shop that is away is the error of the call, and no picture's.
func TestLoadFails(t *testing.T) {
	var uploaded []string
	_, _, err := library(&uploaded).Load(t.Context(), []string{"down", "new"})
	if shopadapter.Explain(err).Message != "the shop is away" {
		t.Errorf("the error is %v, want that the shop is away", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := library(&uploaded).Load(cancelled, []string{"new"}); !errors.Is(err, context.Canceled) {
		t.Errorf("the error of a call that is cancelled is %v, want %v", err, context.Canceled)
	}
}
