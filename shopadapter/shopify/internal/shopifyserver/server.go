package shopifyserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/pubsync/pubsync/shopadapter/internal/nodeserver"
)

// EnvDir is the environment variable that names the folder in which install.sh has installed the
// judge.
const EnvDir = "PUBSYNC_TEST_SHOPIFY"

// A Server is a running judge.
type Server struct {
	*nodeserver.Server
	client *http.Client
}

// startPatience is how long the server may take to be ready. It takes half a second on an idle
// machine.
const startPatience = time.Minute

// Start boots the judge installed in dir, which must be the one of this repository: fixture is the
// folder of its source. Stop ends it; so does the end of ctx.
func Start(ctx context.Context, dir, fixture string) (*Server, error) {
	if err := sameFiles(dir, fixture); err != nil {
		return nil, err
	}
	process, err := nodeserver.Start(
		ctx,
		nodeserver.Command{Name: "the judge", Dir: dir, Script: "shop.mjs", Patience: startPatience},
	)
	if err != nil {
		return nil, err
	}
	// node closes an idle connection after five seconds, maybe while the next request is on its way.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	return &Server{Server: process, client: client}, nil
}

// sameFiles is nil when what is installed is what the repository holds.
func sameFiles(dir, fixture string) error {
	files, err := filepath.Glob(filepath.Join(fixture, "*.mjs"))
	if err != nil {
		return err
	}
	for _, file := range append(files, filepath.Join(fixture, "package-lock.json")) {
		wanted, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		installed, err := os.ReadFile(filepath.Join(dir, filepath.Base(file)))
		if err != nil || string(installed) != string(wanted) {
			return fmt.Errorf(
				"%s in %s is not the one of this repository: run shopadapter/shopify/e2e/install.sh again",
				filepath.Base(file),
				dir,
			)
		}
	}
	return nil
}

// Stop ends the server and waits for it. Calling it again does nothing.
func (s *Server) Stop() {
	s.Server.Stop()
}

// A Request is one that an adapter makes, as it stands in the body.
type Request struct {
	Query         string          `json:"query"`
	OperationName string          `json:"operationName"`
	Variables     json.RawMessage `json:"variables,omitempty"`
}

// Judge says of each request what is wrong with it over the schema, "" for one
// that can be executed. None is executed.
func (s *Server) Judge(ctx context.Context, requests []Request) ([]string, error) {
	var faults []string
	return faults, s.do(ctx, map[string]any{"command": "judge", "requests": requests}, &faults)
}

// do runs a command of the judge's own, and decodes its answer into out, which may be nil.
func (s *Server) do(ctx context.Context, command map[string]any, out any) error {
	body, err := json.Marshal(command)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/control", bytes.NewReader(body))
	if err != nil {
		return err
	}
	answer, err := s.client.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	switch {
	case err != nil:
		return err
	case answer.StatusCode != http.StatusOK:
		return fmt.Errorf("%s: HTTP %d: %s", command["command"], answer.StatusCode, text)
	case out == nil:
		return nil
	}
	return json.Unmarshal(text, out)
}
