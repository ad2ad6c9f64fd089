package doctor

import (
	"context"
	"fmt"

	"github.com/pubsync/pubsync/cmd/internal/setup"
)

func (x *examination) checkReport(ctx context.Context) (string, error) {
	userErrors, err := x.market.TryReport(ctx)
	if err != nil {
		return "", mayNot("report", err)
	}
	if denied, owed := x.reportsDenied(ctx); denied != "" {
		return "", fmt.Errorf("%s; %d reports are owed, and are made once it may", denied, owed)
	}
	told := "a refused report tells why (userErrors)"
	if !userErrors {
		told = "it has no userErrors: a report is taken when the publication then has the reported " +
			"status, and stays owed else"
	}
	return "publicationStatusUpdated is there and takes what is reported; " + told + "; nothing was reported", nil
}

// reportsDenied is what the store, or the worker that holds it, knows of a token that may not
// report. Only a report shows that, and the doctor makes none. A store that cannot be asked is
// another check's finding.
func (x *examination) reportsDenied(ctx context.Context) (why string, owed int) {
	d, err := x.OpenDesk(x.log, setup.ToRead)
	if err != nil {
		return "", 0
	}
	defer d.Close() //nolint:errcheck // nothing was written
	status, err := d.Status(ctx)
	if err != nil {
		return "", 0
	}
	return status.Denied, status.Outbox
}
