package doctor

import (
	"context"
	"fmt"

	"github.com/pubsync/pubsync/cmd/internal/setup"
	"github.com/pubsync/pubsync/connector/marketplace"
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
		told = "it has no userErrors: a report is accepted when the publication then has the reported " +
			"status, and stays owed else"
		if forms, err := x.market.Probe(ctx); err == nil && !forms.NoUserErrors {
			told += "; set userErrors=none in " + marketplace.FormsSetting + ", which spares a request with each report"
		}
	}
	return "publicationStatusUpdated is there and accepts what is reported; " + told + "; nothing was reported", nil
}

// reportsDenied returns why the token may not report, as the store or the worker knows it, and how
// many reports are owed. The doctor cannot find out itself, since it makes no report. A store that
// cannot be read is the finding of the store's check.
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
