package operator

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/terminal"
	"shop/eventstore"
	"shop/projections/dataset"
	"shop/readapi"
)

// exportCommand writes data sets for analysts.
func exportCommand(w terminal.World) *cobra.Command {
	var o dataset.Options
	cmd := &cobra.Command{
		Use: "export DATASET", Short: "Write a data set for analysts: " + strings.Join(dataset.Names(), ", "), Args: cobra.ExactArgs(1),
		Long: "Write the log as a table that DuckDB, pandas and Excel open (docs/analytics-files.md): a folder per month in DIR/DATASET, and\n" +
			"in it a file. The next run into the same DIR adds only new rows. Without --unmasked the files have no names, phones, e-mails\n" +
			"or addresses, and pseudonyms replace persons.",
		Example:   "  shop export orders --out analysis\n  shop export order-lines --format csv --month 2026-05 --out may",
		ValidArgs: dataset.Names(),
	}
	datasetFlags(cmd, &o)
	cmd.Flags().StringVar(&o.Format, "format", dataset.Parquet, "parquet or csv")
	cmd.PreRunE = func(_ *cobra.Command, args []string) error {
		if err := app.OneOf(args[0], dataset.Names()...); err != nil {
			return terminal.Usage(fmt.Errorf("data set: %w", err))
		}
		if err := app.OneOf(o.Format, dataset.Parquet, dataset.CSV); err != nil {
			return terminal.Usage(fmt.Errorf("--format: %w", err))
		}
		return checkDataset(o)
	}
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		return writeDataset(ctx, s, w, args[0], o)
	})
	return cmd
}

// datasetFlags adds what a data set may be asked for besides its format.
func datasetFlags(cmd *cobra.Command, o *dataset.Options) {
	cmd.Flags().StringVar(&o.Dir, "out", "", "folder for the data set's own folder")
	cmd.Flags().Int64Var((*int64)(&o.From), "from", 0, "first position of a new data set; default the log's first")
	cmd.Flags().StringVar(&o.Month, "month", "", "only rows of this month, YYYY-MM in Almaty")
	cmd.Flags().BoolVar(&o.Unmasked, "unmasked", false, "also write names, contacts and addresses of persons")
}

// checkDataset refuses flags that make no sense.
func checkDataset(o dataset.Options) error {
	if o.Dir == "" || o.Dir == "-" {
		return terminal.Usage(errors.New("--out wants a folder"))
	}
	if o.From < 0 {
		return terminal.Usage(errors.New("--from: positions begin at 1"))
	}
	if _, err := time.Parse("2006-01", o.Month); o.Month != "" && err != nil {
		return terminal.Usage(fmt.Errorf("--month: %q is not YYYY-MM", o.Month))
	}
	return nil
}

func writeDataset(ctx context.Context, s *app.Shop, w terminal.World, name string, o dataset.Options) error {
	key, err := app.Secret(ctx, s.Store, "pseudonyms")
	if err != nil {
		return err
	}
	o.Secret, o.Cities = key, readapi.Cities{}.City
	if o.Unmasked {
		fmt.Fprintln(w.Stderr, "warning: the files will name people, with their phones, e-mails and addresses; keep them as you keep the log's keys, and delete them when a person is to be forgotten")
	}
	show := terminal.NewProgress(w.Stderr)
	defer show.Clear()
	began := time.Now()
	o.Progress = func(reached, upTo eventstore.Position, rows int64) {
		show.Say("%d rows, %s", rows, terminal.Remaining(time.Since(began), float64(reached)/float64(max(1, upTo))))
	}
	report, err := dataset.Write(ctx, s.Store, name, o)
	if err != nil {
		return err
	}
	show.Clear()
	masked := "masked"
	if o.Unmasked {
		masked = "with personal data"
	}
	_, err = fmt.Fprintf(w.Stdout, "%s: %d rows in %d new files, %s, up to position %d\n", name, report.Rows, report.Files, masked, report.Position)
	return err
}
