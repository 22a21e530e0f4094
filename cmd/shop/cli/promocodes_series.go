package cli

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/terminal"
	"shop/commands/changes"
	"shop/commands/series"
	"shop/domain/promocode"
)

func promocodesSeries(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "series --count N --percent N | --sum N", Short: "Issue many codes with the same terms, each with a random tail, and print them as CSV", Args: cobra.NoArgs,
		Long: "Issue codes of a prefix and ten random letters and digits, which nobody guesses, by one change: an undo of it revokes them all.\n" +
			"Each code may be used once unless --uses says otherwise. The codes are printed as CSV, or written to --out.",
		Example: "  shop promocodes series --count 500 --prefix SPRING- --percent 15 --until 2026-06-01 --out codes.csv",
	}
	granted := termsFlags(cmd)
	count := cmd.Flags().Int("count", 0, fmt.Sprintf("how many codes, at most %d", series.Longest))
	prefix := cmd.Flags().String("prefix", "", "what each code begins with: letters, digits and hyphens, at most 20")
	out := cmd.Flags().String("out", "", "file for the codes, which must not exist yet; default standard output")
	how := lastingFlags(cmd) // --until is the codes' own
	var terms promocode.Terms
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) (err error) {
		if *count < 1 || *count > series.Longest {
			return terminal.Usage(fmt.Errorf("--count: want 1 to %d", series.Longest))
		}
		var fits bool
		if *prefix, fits = series.Prefix(*prefix); !fits {
			return terminal.Usage(errors.New("--prefix: want at most 20 letters, digits and hyphens"))
		}
		if terms, err = granted(); err == nil && !cmd.Flags().Changed("uses") {
			terms.Uses = 1
		}
		return err
	}
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, _ []string) (err error) {
		file := w.Stdout
		if *out != "" && !*how.dryRun { // before anything is issued: codes that nobody has been given are of no use
			opened, err := os.OpenFile(*out, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, opened.Close()) }()
			file = opened
		}
		codes, err := series.Codes(*prefix, *count)
		if err != nil {
			return err
		}
		items := make([]changes.Asked, *count)
		for i := range codes {
			if items[i], err = ask("promocode", codes[i], "terms", nil, terms); err != nil {
				return err
			}
		}
		became, err := how.propose(ctx, s, w, fmt.Sprintf("shop promocodes series: %s, %d", *prefix, *count), items...)
		if err != nil {
			return err
		}
		fmt.Fprintf(w.Stderr, "%d codes: %s\n", *count, became.outcome("issued", *how.dryRun))
		if *how.dryRun {
			return nil
		}
		return writeCodes(file, codes)
	})
	return cmd
}

func writeCodes(to io.Writer, codes []string) error {
	file := csv.NewWriter(to)
	file.Write([]string{"code"}) // an error is kept until the end
	for _, code := range codes {
		file.Write([]string{code})
	}
	file.Flush()
	return file.Error()
}
