package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"shop/eventstore"
	"shop/projections/dataset"
)

// exportCommand writes data sets for analysts.
func exportCommand(w world) *cobra.Command {
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
		if err := oneOf(args[0], dataset.Names()...); err != nil {
			return usageError{fmt.Errorf("data set: %w", err)}
		}
		if err := oneOf(o.Format, dataset.Parquet, dataset.CSV); err != nil {
			return usageError{fmt.Errorf("--format: %w", err)}
		}
		return checkDataset(o)
	}
	cmd.RunE = withShop(w, func(ctx context.Context, s *shop, _ *cobra.Command, args []string) error {
		return s.writeDataset(ctx, w, args[0], o)
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
		return usageError{errors.New("--out wants a folder")}
	}
	if o.From < 0 {
		return usageError{errors.New("--from: positions begin at 1")}
	}
	if _, err := time.Parse("2006-01", o.Month); o.Month != "" && err != nil {
		return usageError{fmt.Errorf("--month: %q is not YYYY-MM", o.Month)}
	}
	return nil
}

func (s *shop) writeDataset(ctx context.Context, w world, name string, o dataset.Options) error {
	key, err := secret(ctx, s.pool, "pseudonyms")
	if err != nil {
		return err
	}
	o.Secret = key
	if o.Unmasked {
		fmt.Fprintln(w.stderr, "warning: the files will name people, with their phones, e-mails and addresses; keep them as you keep the log's keys, and delete them when a person is to be forgotten")
	}
	show := newProgress(w.stderr)
	defer show.clear()
	began := time.Now()
	o.Progress = func(reached, upTo eventstore.Position, rows int64) {
		show.say("%d rows, %s", rows, remaining(time.Since(began), float64(reached)/float64(max(1, upTo))))
	}
	report, err := dataset.Write(ctx, s.store, name, o)
	if err != nil {
		return err
	}
	show.clear()
	masked := "masked"
	if o.Unmasked {
		masked = "with personal data"
	}
	_, err = fmt.Fprintf(w.stdout, "%s: %d rows in %d new files, %s, up to position %d\n", name, report.Rows, report.Files, masked, report.Position)
	return err
}
