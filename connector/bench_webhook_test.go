//go:build unix

package connector

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/internal/delivery"
	"github.com/pubsync/pubsync/connector/listener"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

const (
	ackConnections = 64
	ackRound       = 100 // webhooks that each connection sends in a round
	ackRounds      = 3   // of either receiver to one operation, in turn, so that whatever else the machine does hits both
)

// BenchmarkAcknowledge posts signed webhooks over loopback connections to the connector's receiver, which makes each durable, and in turn to one that
// reads the body, verifies the signature and does nothing more. It reports the rate of either and their ratio, and the ratio of the processor time
// that each takes, that of the sender included: this one no other load on the machine or on its disk can touch.
//
// Wanted: x-verify of at least 0.5.
func BenchmarkAcknowledge(b *testing.B) {
	for _, s := range []struct {
		name   string
		ids    int  // how many publications the webhooks of a run name; 0: each another one
		client bool // sent by net/http's client, as a marketplace would, and not by hand
	}{{"distinct", 0, true}, {"repeated", 100, true}, {"distinct-by-hand", 0, false}, {"repeated-by-hand", 100, false}} {
		b.Run(s.name, func(b *testing.B) {
			r := newRig(b, nil)
			durable := startReceiver(b, r.connector().WebhookHandler(), s.client)
			verify := startReceiver(b, verifyOnly(sandbox.DefaultSecret), s.client)
			serial := 0
			next := func() []byte {
				serial++
				if s.ids > 0 {
					return webhookRequest(serial % s.ids)
				}
				return webhookRequest(serial)
			}
			var took, bare, tookCPU, bareCPU time.Duration
			for b.Loop() {
				for range ackRounds {
					b.StopTimer()
					batch := make([][]byte, ackConnections*ackRound)
					for i := range batch {
						batch[i] = next()
					}
					b.StartTimer()
					start := cpuTime(b)
					bare += verify.post(batch)
					between := cpuTime(b)
					took += durable.post(batch)
					bareCPU += between - start
					tookCPU += cpuTime(b) - between
				}
			}
			sent := float64(b.N * ackRounds * ackConnections * ackRound)
			b.ReportMetric(sent/took.Seconds(), "acks/s")
			b.ReportMetric(sent/bare.Seconds(), "verified/s")
			b.ReportMetric(bare.Seconds()/took.Seconds(), "x-verify")
			b.ReportMetric(bareCPU.Seconds()/tookCPU.Seconds(), "x-verify-cpu")
			b.ReportMetric(took.Seconds()/sent*ackConnections*1e3, "ms/ack")
		})
	}
}

// webhookRequest is a whole request for the i-th publication, as the marketplace sends it.
func webhookRequest(i int) []byte {
	body := fmt.Appendf(nil, `{"data":{"publication":{"id":"p00%07dk1x2f9z","status":"syncing","listing":{"product":{"id":"d00%07d1uq0aa"}},`+
		`"createdAt":"2026-11-20T08:15:00.123456Z","updatedAt":"2026-11-20T08:15:00.123456Z"}}}`, i, i)
	mac := hmac.New(sha256.New, []byte(sandbox.DefaultSecret))
	mac.Write(body)
	head := fmt.Appendf(nil, "POST /webhooks HTTP/1.1\r\nHost: hooks.shop.example\r\nUser-Agent: marketplace/1\r\nContent-Type: application/json\r\n"+
		"X-Service-Account-Id: retailer\r\nX-Service-Event: PUBLICATION_CREATED\r\nX-Service-Webhook-Id: w1\r\nX-Service-Signature: %s\r\n"+
		"Content-Length: %d\r\n\r\n", hex.EncodeToString(mac.Sum(nil)), len(body))
	return append(head, body...)
}

// verifyOnly is the least that a receiver may do.
func verifyOnly(secret string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil || !hmac.Equal([]byte(delivery.Signature(secret, body)), []byte(r.Header.Get("X-Service-Signature"))) {
			http.Error(w, "signature", http.StatusUnauthorized)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
}

// A wire is a receiver on a loopback port and the connections to it. They speak HTTP by hand, so that the sender costs little beside the receiver.
type wire struct {
	b      *testing.B
	conns  []net.Conn
	read   []*bufio.Reader
	client *http.Client // in the place of conns
	host   string
}

// startReceiver serves h as the worker serves its webhooks.
func startReceiver(b *testing.B, h http.Handler, client bool) *wire {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	s := &listener.Servers{}
	s.Public(slog.New(slog.DiscardHandler), l, h)
	w := &wire{b: b, host: l.Addr().String()}
	if client {
		transport := &http.Transport{MaxIdleConnsPerHost: ackConnections, MaxConnsPerHost: ackConnections}
		w.client = &http.Client{Transport: transport}
		b.Cleanup(func() {
			transport.CloseIdleConnections()
			s.Shutdown(time.Second)
		})
		return w
	}
	for range ackConnections {
		conn, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			b.Fatal(err)
		}
		w.conns = append(w.conns, conn)
		w.read = append(w.read, bufio.NewReader(conn))
	}
	b.Cleanup(func() {
		for _, conn := range w.conns {
			if err := conn.Close(); err != nil {
				b.Error(err)
			}
		}
		s.Shutdown(time.Second)
	})
	return w
}

// post sends the requests, an equal part over each connection and one after the other, and returns how long it took until all were acknowledged.
func (w *wire) post(requests [][]byte) time.Duration {
	start := time.Now()
	var posting sync.WaitGroup
	share := len(requests) / ackConnections
	for i := range ackConnections {
		posting.Go(func() {
			for _, request := range requests[i*share : (i+1)*share] {
				if err := w.exchange(i, request); err != nil {
					w.b.Error(err)
					return
				}
			}
		})
	}
	posting.Wait()
	return time.Since(start)
}

// exchange sends one request and reads the head of the answer, which must be a 204 and so has no body.
func (w *wire) exchange(i int, request []byte) error {
	if w.client != nil {
		return w.do(request)
	}
	if _, err := w.conns[i].Write(request); err != nil {
		return err
	}
	for first := true; ; first = false {
		line, err := w.read[i].ReadSlice('\n')
		switch {
		case err != nil:
			return err
		case first && !bytes.HasPrefix(line, []byte("HTTP/1.1 204 ")):
			return fmt.Errorf("answer: %q", line)
		case len(line) <= 2:
			return nil
		}
	}
}

// do sends one request through the client.
func (w *wire) do(request []byte) error {
	r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(request)))
	if err != nil {
		return err
	}
	r.RequestURI, r.URL.Scheme, r.URL.Host = "", "http", w.host
	res, err := w.client.Do(r)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusNoContent {
		err = fmt.Errorf("answer: %s", res.Status)
	}
	return errors.Join(err, res.Body.Close())
}
