package cli

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/terminal"
	"shop/commands/changes"
	"shop/domain"
	"shop/domain/change"
)

// said is what became of a command that changes what the shop is. It makes one change, which is listed and undone as those of the
// office are, and waits for a second person where the rules say so.
type said struct {
	changed bool
	// waits is the id of the change that a second person has to approve; empty: none has to.
	waits string
	// planned is the id of the change that begins later; empty: it is made.
	planned string
}

// outcome says it to people: done, would be done, so already, or whose turn it is.
func (s said) outcome(done string, dryRun bool) string {
	if s.waits != "" {
		return "waits for a second person: shop changes approve " + s.waits
	}
	if s.planned != "" {
		return "is planned: shop changes show " + s.planned
	}
	return command.Outcome(done, s.changed, dryRun)
}

// how is what a command that makes a change is told beside what it changes.
type how struct {
	dryRun    *bool
	reason    *string
	at, until *terminal.MomentValue
}

// howFlags adds --dry-run, --reason, --at and --until.
func howFlags(cmd *cobra.Command) how {
	h := lastingFlags(cmd)
	cmd.Flags().Var(h.until, "until", "when what was before comes back; default never")
	return h
}

// lastingFlags adds --dry-run, --reason and --at to a command whose change has no end.
func lastingFlags(cmd *cobra.Command) how {
	h := how{
		dryRun: command.DryRunFlag(cmd), reason: cmd.Flags().String("reason", "", "why, for the history"),
		at: &terminal.MomentValue{}, until: &terminal.MomentValue{},
	}
	cmd.Flags().Var(h.at, "at", "when it begins, such as 2026-11-20T09:00 in Almaty; default now")
	return h
}

// catchUp has the list of changes be up to date before a change with a time: the list knows the others that have one.
func (h how) catchUp(ctx context.Context, s *app.Shop, w terminal.World) error {
	if h.at.IsZero() && h.until.IsZero() {
		return nil
	}
	return s.CatchUp(ctx, w, "changes", "catalog")
}

// longTitle is how many characters a title of a change may have; a long file name may be too much.
const longTitle = 200

// proposal is the change of items as it is told.
func (h how) proposal(title string, items ...changes.Asked) changes.Proposal {
	return changes.Proposal{
		Title: shortened(title, longTitle), Reason: *h.reason, StartsAt: h.at.Time, EndsAt: h.until.Time, Items: items, May: anything,
	}
}

// propose makes items one change as it is told, or in a dry run says what that would do. What is refused is the error of its first item.
func (h how) propose(ctx context.Context, s *app.Shop, w terminal.World, title string, items ...changes.Asked) (said, error) {
	if err := h.catchUp(ctx, s, w); err != nil {
		return said{}, err
	}
	if *h.dryRun {
		return try(ctx, s, h.proposal(title, items...))
	}
	answer, err := s.Changes.Propose(ctx, h.proposal(title, items...))
	var refused *changes.Refused
	if errors.As(err, &refused) {
		return said{}, inTheWay(refused)
	}
	if err != nil {
		return said{}, err
	}
	return becameOf(answer), nil
}

// becameOf is what became of a change that was made.
func becameOf(answer changes.Answer) said {
	out := said{changed: true}
	switch answer.Status {
	case change.Waiting:
		out.waits = answer.ID.String()
	case change.Planned:
		out.planned = answer.ID.String()
	}
	return out
}

// try says what a change would do.
func try(ctx context.Context, s *app.Shop, p changes.Proposal) (said, error) {
	answer, err := s.Changes.DryRun(ctx, p)
	if err != nil {
		return said{}, err
	}
	out := said{}
	for _, row := range answer.Rows {
		if row.Code != "" {
			return said{}, obstacle{row.Field, domain.Refuse(row.Code, row.Detail)}
		}
		out.changed = out.changed || row.Outcome != change.Same
	}
	return out, nil
}

// inTheWay is why a change was not made; nil: all of it is so already.
func inTheWay(refused *changes.Refused) error {
	for _, row := range refused.Rows {
		if row.Outcome != change.Same {
			return obstacle{row.Field, domain.Refuse(row.Code, row.Detail)}
		}
	}
	return nil
}

// obstacle is why a field cannot have a value.
type obstacle struct {
	field string
	why   *domain.Refusal
}

func (o obstacle) Error() string { return o.field + ": " + o.why.Message }

// Is lets callers tell one obstacle from another by its refusal.
func (o obstacle) Is(target error) bool { return errors.Is(o.why, target) }

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
