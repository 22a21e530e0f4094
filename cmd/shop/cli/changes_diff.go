package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/terminal"
	"shop/eventstore"
	"shop/readapi/staff"
)

// differing is a field of a product that differs between two moments.
type differing struct {
	Article string `json:"article"`
	Field   string `json:"field"`
	Was     string `json:"was"`
	Now     string `json:"now"`
	By      string `json:"by"`
	Change  string `json:"change"`
}

func changesDiff(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{Use: "diff PART", Short: "Compare products at two moments: prices, stock or catalog", Args: cobra.ExactArgs(1)}
	format := command.FormatFlag(cmd)
	from := cmd.Flags().String("from", "", "the first moment: a position of the log, or a time such as 2026-03-02T09:00:00Z")
	to := cmd.Flags().String("to", "", "the second moment; by default now")
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		if !slices.Contains(staff.DifferenceParts, args[0]) {
			return terminal.Usage(fmt.Errorf("%q is none of %s", args[0], strings.Join(staff.DifferenceParts, ", ")))
		}
		first, err := moment("from", *from)
		if err != nil {
			return err
		}
		if first == (staff.Moment{}) {
			return terminal.Usage(fmt.Errorf("--from says which moment to compare with"))
		}
		second, err := moment("to", *to)
		if err != nil {
			return err
		}
		found, err := staff.NewReader(s.Pool, s.Store, s.Builder).Compare(ctx, args[0], first, second, true, asRecorded)
		if err != nil {
			return err
		}
		if *format == "json" {
			return terminal.WriteIndented(w.Stdout, found)
		}
		rows := []differing{}
		for _, p := range found.Products {
			for _, f := range p.Fields {
				last := f.By[len(f.By)-1]
				row := differing{p.Article, f.Field, string(f.Was), string(f.Now), last.Actor, ""}
				if last.Change != nil {
					row.Change = last.Change.String()
				}
				rows = append(rows, row)
			}
		}
		if found.More {
			fmt.Fprintf(w.Stderr, "Too much happened: compared up to position %d.\n", found.To)
		}
		return terminal.WriteList(w.Stdout, "table", rows,
			terminal.Left("ARTICLE", func(d differing) string { return d.Article }),
			terminal.Left("FIELD", func(d differing) string { return d.Field }),
			terminal.Left("WAS", func(d differing) string { return d.Was }),
			terminal.Left("NOW", func(d differing) string { return d.Now }),
			terminal.Left("BY", func(d differing) string { return d.By }),
			terminal.Left("CHANGE", func(d differing) string { return d.Change }),
		)
	})
	return cmd
}

// moment reads a moment of a flag; empty: the zero moment.
func moment(flag, text string) (m staff.Moment, err error) {
	if text == "" {
		return m, nil
	}
	if position, err := strconv.ParseInt(text, 10, 64); err == nil && position > 0 {
		return staff.Moment{Position: eventstore.Position(position)}, nil
	}
	if m.Time, err = time.Parse(time.RFC3339, text); err != nil {
		return m, terminal.Usage(fmt.Errorf("--%s: %q is neither a position of the log nor a time", flag, text))
	}
	return m, nil
}
