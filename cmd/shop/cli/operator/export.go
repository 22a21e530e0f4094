package operator

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/terminal"
	"shop/commands"
	"shop/domain/order"
	"shop/eventstore"
	"shop/projections/dataset"
)

func eventsExport(w terminal.World) *cobra.Command {
	var format, keys string
	var table dataset.Options
	cmd := &cobra.Command{
		Use: "export", Short: "Write the whole log to a file, for backup or to move the shop; or as a table for analysts", Args: cobra.NoArgs,
		Long: "Write every event as a line of JSON, as it is stored, with a running SHA-256 that import checks. The shop may stay open.\n" +
			"Personal data is sealed in the file. Its keys are written only with --with-keys, to a file of their own. Anybody who has\n" +
			"both files can read everything: keep them apart, and delete the keys' file after an erasure request. Importing a log\n" +
			"without keys erases its persons for ever, and persons erased here are erased there.\n" +
			"The log, and so the file, does not contain passwords, sessions, and the secrets that sign links to guests' orders.\n" +
			"With --format parquet or csv this is 'shop export events': a masked table in a folder, which cannot be imported.",
		Example: "  shop events export --out shop.jsonl.gz --with-keys shop.keys\n  shop events export | wc -l\n  shop events export --format parquet --out analysis",
	}
	datasetFlags(cmd, &table)
	cmd.Flags().StringVar(&format, "format", "jsonl", "jsonl: lines of JSON, to import again; parquet or csv: a table")
	out := cmd.Flags().Lookup("out")
	out.DefValue, out.Usage = "-", "file to write, compressed if it ends in .gz; -: standard output; with parquet and csv a folder"
	table.Dir = out.DefValue
	cmd.Flags().StringVar(&keys, "with-keys", "", "file for the keys to personal data, readable by its owner only")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if err := app.OneOf(format, "jsonl", dataset.Parquet, dataset.CSV); err != nil {
			return terminal.Usage(fmt.Errorf("--format: %w", err))
		}
		if format != "jsonl" {
			if keys != "" {
				return terminal.Usage(errors.New("--with-keys goes with --format jsonl"))
			}
			table.Format = format
			return checkDataset(table)
		}
		if table.From != 0 || table.Month != "" || table.Unmasked {
			return terminal.Usage(errors.New("--from, --month and --unmasked go with --format parquet or csv"))
		}
		if out := table.Dir; keys == "-" || keys != "" && filepath.Clean(keys) == filepath.Clean(out) {
			return terminal.Usage(errors.New("--with-keys wants a file of its own"))
		}
		return nil
	}
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, _ []string) error {
		if format != "jsonl" {
			return writeDataset(ctx, s, w, "events", table)
		}
		return exportLog(ctx, s, w, table.Dir, keys)
	})
	return cmd
}

// exportLog writes the log to out, "-" for standard output, and the keys to a file of their own if one is named.
func exportLog(ctx context.Context, s *app.Shop, w terminal.World, out, keys string) error {
	show := terminal.NewProgress(w.Stderr)
	defer show.Clear()
	began := time.Now()
	var done eventstore.Transfer
	export := func(to io.Writer) (err error) {
		done, err = s.Store.Export(ctx, to, eventstore.ExportOptions{Progress: func(t eventstore.Transfer) {
			show.Say("%d events, %s", t.Events, terminal.Remaining(time.Since(began), share(t)))
		}})
		return err
	}
	if out == "-" {
		buffered := bufio.NewWriterSize(w.Stdout, 256<<10)
		if err := export(buffered); err != nil {
			return err
		}
		if err := buffered.Flush(); err != nil {
			return err
		}
	} else if err := terminal.WriteFile(out, export); err != nil {
		return err
	}
	show.Clear()
	var persons int64
	if keys != "" {
		err := terminal.WriteFile(keys, func(to io.Writer) (err error) {
			persons, err = s.Store.ExportKeys(ctx, to)
			return err
		})
		if err != nil {
			return err
		}
	}
	if out == "-" {
		return nil
	}
	fmt.Fprintf(w.Stdout, "%s: %d events up to position %d, hash %s\n", out, done.Events, done.Last, done.Hash)
	if keys == "" {
		_, err := fmt.Fprintln(w.Stdout, "without the keys of persons: in a copy made from it alone, personal data is erased")
		return err
	}
	_, err := fmt.Fprintf(w.Stdout, "%s: keys of %d persons; with both files everything can be read\n", keys, persons)
	return err
}

// share guesses how much of a transfer is done by how far its position has come.
func share(t eventstore.Transfer) float64 { return float64(t.Last) / float64(max(1, t.Head)) }

func eventsImport(w terminal.World) *cobra.Command {
	var keys string
	cmd := &cobra.Command{
		Use: "import FILE", Short: "Fill an empty log from an exported one; FILE may be - for standard input", Args: cobra.ExactArgs(1),
		Long: "Import a file of 'shop events export' into a database that nothing was ever written to. Positions, versions, ids and times stay\n" +
			"the same, and every line is checked by its hash. A file that is damaged anywhere is refused and leaves nothing behind.\n" +
			"The next 'shop serve' builds the read models from the log. Without --keys all persons in the log are erased.",
		Example: "  shop events import shop.jsonl.gz --keys shop.keys",
	}
	cmd.Flags().StringVar(&keys, "keys", "", "file that --with-keys wrote")
	asOwner := func(ctx context.Context, c app.Config, log *slog.Logger, clock func() time.Time) (*app.Shop, error) {
		c.AsOwner = true
		return app.OpenLog(ctx, c, log, clock)
	}
	cmd.RunE = command.WithOpened(w, asOwner, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		file, closeFile, err := terminal.OpenPlain(args[0])
		if err != nil {
			return err
		}
		defer closeFile()
		show := terminal.NewProgress(w.Stderr)
		defer show.Clear()
		began := time.Now()
		var lastNumber int64
		options := eventstore.ImportOptions{
			Each: func(e eventstore.Imported) error {
				if e.Type != (order.Placed{}).EventType() {
					return nil
				}
				var placed struct {
					Number int64 `json:"number"`
				}
				err := json.Unmarshal(e.Data, &placed)
				lastNumber = max(lastNumber, placed.Number)
				return err
			},
			Finish: func(ctx context.Context, tx pgx.Tx) error {
				return (&commands.OrderNumbers{}).Continue(ctx, tx, lastNumber)
			},
			Progress: func(t eventstore.Transfer) {
				show.Say("%d events, %s", t.Events, terminal.Remaining(time.Since(began), share(t)))
			},
		}
		if keys != "" {
			keyFile, closeKeys, err := terminal.OpenPlain(keys)
			if err != nil {
				return err
			}
			defer closeKeys()
			options.Keys = keyFile
		}
		done, err := s.Store.Import(ctx, file, options)
		if errors.Is(err, eventstore.ErrNotEmpty) {
			return fmt.Errorf("%w: import into a new database, made with 'shop migrate' and not yet served", err)
		}
		if err != nil {
			return err
		}
		show.Clear()
		fmt.Fprintf(w.Stdout, "%d events up to position %d, hash %s\n", done.Events, done.Last, done.Hash)
		if keys == "" {
			_, err = fmt.Fprintln(w.Stdout, "without the keys of persons: their personal data is erased in this copy")
		}
		return err
	})
	return cmd
}
