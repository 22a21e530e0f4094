package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/terminal"
	"shop/commands/changes"
	"shop/domain/change"
)

func changesUndo(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "undo ID", Short: "Put back what a change set; what was changed since stays", Args: cobra.ExactArgs(1),
		Long: "Put back what a change set; of a change that has ended, what its end left. What somebody changed since is listed with both values and left,\n" +
			"unless --force takes it back as well. What nothing takes back, such as orders and letters since, is told with its reason ('shop changes\n" +
			"inverses' lists all reasons).",
		Example: "  shop changes undo 0199a6f2-7a31-7c0e-9e51-1b2c3d4e5f60 --dry-run",
	}
	dryRun := command.DryRunFlag(cmd)
	force := cmd.Flags().Bool("force", false, "take back what was changed since, too")
	reason := cmd.Flags().String("reason", "", "why, for the history")
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		id, err := changeID(args[0])
		if err != nil {
			return err
		}
		asked := changes.Undoing{Change: id, Reason: *reason, May: anything}
		if *force {
			if asked.Force, err = changedSince(ctx, s, asked); err != nil {
				return err
			}
		}
		do := s.Changes.Undo
		if *dryRun {
			do = s.Changes.DryUndo
		}
		stays, err := s.Changes.Stays(ctx, id)
		if err != nil {
			return err
		}
		answer, err := do(ctx, asked)
		if err := printOutcomes(w, answer.Rows, err); err != nil {
			return err
		}
		return printStays(w, stays)
	})
	return cmd
}

// changedSince are the numbers of the items that an undo would leave because they were changed since.
func changedSince(ctx context.Context, s *app.Shop, asked changes.Undoing) (numbers []int, err error) {
	answer, err := s.Changes.DryUndo(ctx, asked)
	for _, r := range answer.Rows {
		if r.Outcome == change.Conflict && r.Undoes != nil {
			numbers = append(numbers, *r.Undoes)
		}
	}
	return numbers, err
}

// printOutcomes prints what became of each item, also of a change that was refused, and returns err. Of a conflict it prints the value that was
// in the way.
func printOutcomes(w terminal.World, rows []changes.Row, err error) error {
	var refused *changes.Refused
	if errors.As(err, &refused) {
		rows = refused.Rows
	}
	for _, r := range rows {
		text := fmt.Sprintf("%s %s %s: %s %s → %s %s", r.Thing, r.ID, r.Field, r.Outcome, r.Was, r.Now, r.Detail)
		if r.Outcome == change.Conflict {
			text += fmt.Sprintf(" It is %s.", r.Found)
		}
		if _, err := fmt.Fprintln(w.Stdout, terminal.OneLine(text)); err != nil {
			return err
		}
	}
	return err
}

// printStays prints what happened since and stays.
func printStays(w terminal.World, stays []changes.Stay) error {
	texts := map[string]string{}
	for _, inverse := range changes.Inverses {
		texts[inverse.Why.Code] = inverse.Why.Text
	}
	for _, one := range stays {
		if _, err := fmt.Fprintf(w.Stdout, "%s %s: %d events since stay. %s\n", one.Thing, one.ID, one.Count, texts[one.Reason]); err != nil {
			return err
		}
	}
	return nil
}

// listedFields is how many fields a line of the table names; JSON has all.
const listedFields = 4

// inverseLine is a type of event with what takes it back.
type inverseLine struct {
	Event  string   `json:"event"`
	Thing  string   `json:"thing"`
	Fields []string `json:"fields"`
	Reason string   `json:"reason"`
	Why    string   `json:"why"`
}

func changesInverses(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "inverses", Short: "List what takes each type of event back, or why nothing does", Args: cobra.NoArgs,
		Example: "  shop changes inverses --format json",
	}
	format := command.FormatFlag(cmd)
	cmd.RunE = func(*cobra.Command, []string) error {
		var lines []inverseLine
		for _, event := range slices.Sorted(maps.Keys(changes.Inverses)) {
			i := changes.Inverses[event]
			lines = append(lines, inverseLine{event, i.Thing, append([]string{}, i.Fields...), i.Why.Code, i.Why.Text})
		}
		return terminal.WriteList(w.Stdout, *format, lines,
			terminal.Left("EVENT", func(l inverseLine) string { return l.Event }),
			terminal.Left("GOES BACK BY", func(l inverseLine) string {
				if l.Thing == "" {
					return "-"
				}
				if more := len(l.Fields) - listedFields; more > 0 {
					return fmt.Sprintf("%s: %s and %d more", l.Thing, strings.Join(l.Fields[:listedFields], ", "), more)
				}
				return l.Thing + ": " + strings.Join(l.Fields, ", ")
			}),
			terminal.Left("OR WHY NOT", func(l inverseLine) string { return l.Why }),
		)
	}
	return cmd
}
