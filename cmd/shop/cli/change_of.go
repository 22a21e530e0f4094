package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/commands/changes"
	"shop/domain/change"
)

// said is what became of a command that changes what the shop is. It makes one change, which is listed and undone as those of the
// office are, and waits for a second person where the rules say so.
type said struct {
	changed bool
	// waits is the id of the change that a second person has to approve; empty: none has to.
	waits string
}

// outcome says it to people: done, would be done, so already, or whose turn it is.
func (s said) outcome(done string, dryRun bool) string {
	if s.waits != "" {
		return "waits for a second person: shop changes approve " + s.waits
	}
	return command.Outcome(done, s.changed, dryRun)
}

// reasonFlag adds --reason to a command that makes a change.
func reasonFlag(cmd *cobra.Command) *string {
	return cmd.Flags().String("reason", "", "why, for the history")
}

// longTitle is how many characters a title of a change may have.
const longTitle = 200

// propose makes items one change. What is refused is the error of its first item.
func propose(ctx context.Context, s *app.Shop, title, reason string, items ...changes.Asked) (said, error) {
	if name := []rune(title); len(name) > longTitle { // of a long file name
		title = string(name[:longTitle])
	}
	answer, err := s.Changes.Propose(ctx, changes.Proposal{Title: title, Reason: reason, Items: items, May: anything})
	var refused *changes.Refused
	if errors.As(err, &refused) {
		return said{}, inTheWay(refused)
	}
	if err != nil {
		return said{}, err
	}
	out := said{changed: true}
	if answer.Status == change.Waiting {
		out.waits = answer.ID.String()
	}
	return out, nil
}

// proposeOrTry makes items one change, or in a dry run says what that would do.
func proposeOrTry(ctx context.Context, s *app.Shop, dryRun bool, title, reason string, items ...changes.Asked) (said, error) {
	if !dryRun {
		return propose(ctx, s, title, reason, items...)
	}
	answer, err := s.Changes.DryRun(ctx, changes.Proposal{Title: title, Reason: reason, Items: items, May: anything})
	if err != nil {
		return said{}, err
	}
	out := said{}
	for _, row := range answer.Rows {
		if row.Code != "" {
			return said{}, fmt.Errorf("%s: %s", row.Field, row.Detail)
		}
		out.changed = out.changed || row.Outcome != change.Same
	}
	return out, nil
}

// inTheWay is why a change was not made; nil: all of it is so already.
func inTheWay(refused *changes.Refused) error {
	for _, row := range refused.Rows {
		if row.Outcome != change.Same {
			return fmt.Errorf("%s: %s", row.Field, row.Detail)
		}
	}
	return nil
}

// ask is an item of a change: a field that is to have a value instead of the one that was seen.
func ask(thing, id, field string, was, now any) (changes.Asked, error) {
	a := changes.Asked{Thing: thing, ID: id, Field: field}
	var err error
	if was != nil {
		if a.Was, err = json.Marshal(was); err != nil {
			return a, err
		}
	}
	a.Now, err = json.Marshal(now)
	return a, err
}
