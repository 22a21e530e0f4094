package commands

import (
	"context"

	"shop/domain/document"
)

// ConsentText is the version of the text on personal data that somebody agrees to now: that of the privacy policy in force, or the
// stated one while none was published.
func ConsentText(ctx context.Context, h *Handler, stated string) (string, error) {
	policy, err := See(ctx, h, DocumentStream(document.Privacy))
	return policy.Or(stated), err
}
