package doctor

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// mostClockSkew is how far this clock and the marketplace's may differ.
const mostClockSkew = 2 * time.Minute

// checkClock compares this clock with the Date of the marketplace's answer.
func (x *examination) checkClock(ctx context.Context) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, string(x.MarketplaceURL), nil)
	if err != nil {
		return "", err
	}
	res, err := x.ShopClient().Do(req)
	if err != nil {
		return "not compared: the marketplace does not answer", nil //nolint:nilerr // that is the token's finding
	}
	_ = res.Body.Close() //nolint:errcheck // nothing was read
	at, err := http.ParseTime(res.Header.Get("Date"))
	if err != nil {
		return "not compared: the marketplace does not tell its time", nil //nolint:nilerr // it need not
	}
	if skew := time.Since(at).Abs(); skew > mostClockSkew {
		return "",
			fmt.Errorf("this clock and the marketplace's differ by %s: set up time synchronisation", skew.Round(time.Second))
	}
	return "agrees with the marketplace's", nil
}
