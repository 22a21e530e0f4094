package cli

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/terminal"
	"shop/commands/searches"
	"shop/readapi/search"
)

func searchCommand(w terminal.World) *cobra.Command {
	return command.Group("search", "Read what searches know, and what they did not find", searchWords(w), searchMissed(w))
}

func searchWords(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "words", Short: "Print the lexicon in force: synonyms, needs, and words that say nothing", Args: cobra.NoArgs,
		Example: "  shop search words > synonyms.md; shop content set " + search.LexiconBlock + " synonyms.md",
	}
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, _ []string) error {
		rows, err := blocks(ctx, s, w, search.LexiconBlock)
		if err != nil {
			return err
		}
		text := search.Synonyms
		if len(rows) > 0 {
			text = cmp.Or(rows[0].Text, text)
		}
		_, err = fmt.Fprint(w.Stdout, text)
		return err
	})
	return cmd
}

func searchMissed(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "missed", Short: "List by day what shoppers searched for and did not find", Args: cobra.NoArgs,
		Long: "List by day what shoppers searched for and did not find, if it was asked three times or more. Nothing says who asked.",
	}
	format := command.FormatFlag(cmd)
	days := cmd.Flags().Int("days", 30, "how many days back, 1 to 365")
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, _ []string) error {
		if *days < 1 || *days > 365 {
			return terminal.Usage(fmt.Errorf("--days %d: want 1 to 365", *days))
		}
		rows, err := searches.Missed{DB: s.Pool, Now: s.Clock}.List(ctx, *days, 1000)
		if err != nil {
			return err
		}
		return terminal.WriteList(w.Stdout, *format, rows,
			terminal.Left("DAY", func(d searches.Day) string { return d.Day.Format(time.DateOnly) }),
			terminal.Left("SEARCH", func(d searches.Day) string { return d.Query }),
			terminal.Right("TIMES", func(d searches.Day) string { return strconv.FormatInt(d.Times, 10) }),
		)
	})
	return cmd
}
