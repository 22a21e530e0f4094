package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	money "golang.org/x/text/currency"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/terminal"
	"shop/commands"
	"shop/commands/importer"
	"shop/commands/importer/orderfile"
)

func ordersImport(w terminal.World) *cobra.Command {
	var (
		rate, currency string
		options        importer.OrderOptions
		unit           orderfile.Rate
	)
	cmd := &cobra.Command{
		Use: "import DIR|FILE…", Short: "Import the order history of another shop from CSV files", Args: cobra.MinimumNArgs(1),
		Long: "Add the orders of another shop with their old times, so that reports and replays have a past (docs/order-history-files.md):\n" +
			"orders, lines, payments, reviews, customers and products, recognised by their headers. Products are found by article or\n" +
			"added archived. Nobody gets a letter, and stock and bonuses stay as they are. A repeated import with the same --source\n" +
			"adds nothing. A value that cannot be used is reported with file, line and field and left out.",
		Example: "  shop orders import history/ --source oldshop --dry-run\n  shop orders import olist/ --source olist --currency BRL --rate 92.5",
	}
	cmd.Flags().StringVar(&options.Source, "source", "history", "name of the other shop")
	cmd.Flags().BoolVar(&options.DryRun, "dry-run", false, "print what would be added and write nothing")
	cmd.Flags().StringVar(&currency, "currency", "KZT", "currency of the files; another one needs --rate")
	cmd.Flags().StringVar(&rate, "rate", "", "tenge for one unit of the files' currency, such as 92.5")
	cmd.PreRunE = func(*cobra.Command, []string) (err error) {
		if _, err := money.ParseISO(currency); err != nil {
			return terminal.Usage(fmt.Errorf("--currency: %q is no currency of ISO 4217, such as KZT or BRL", currency))
		}
		if foreign := !strings.EqualFold(currency, "KZT"); foreign != (rate != "") {
			return terminal.Usage(errors.New("--currency other than KZT and --rate go together"))
		}
		if options.Source == "" {
			return terminal.Usage(errors.New("--source must not be empty"))
		}
		if unit, err = orderfile.ParseRate(rate); err != nil {
			return terminal.Usage(fmt.Errorf("--rate: %w", err))
		}
		return nil
	}
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		names, err := FilesIn(args)
		if err != nil {
			return err
		}
		var files []*orderfile.Reader
		for _, name := range names {
			f, err := os.Open(name)
			if err != nil {
				return err
			}
			defer f.Close()
			file, err := orderfile.Open(f, name, unit, time.Now())
			var unknown *orderfile.UnknownFile
			if errors.As(err, &unknown) && !slices.ContainsFunc(args, func(arg string) bool { return filepath.Clean(arg) == name }) {
				fmt.Fprintln(w.Stderr, terminal.OneLine(fmt.Sprintf("%s: passed over, nothing is imported of its columns (%s)", name, strings.Join(unknown.Columns, ", "))))
				continue
			}
			if err != nil {
				return err
			}
			files = append(files, file)
		}
		if !slices.ContainsFunc(files, func(f *orderfile.Reader) bool { return f.Kind() == orderfile.Orders }) {
			return fmt.Errorf("none of %s holds orders: needed are the columns order_id, status and placed_at", strings.Join(args, ", "))
		}
		return importOrders(ctx, s, w, files, options)
	})
	return cmd
}

// FilesIn are the files named, and the CSV files of the folders named, each once.
func FilesIn(args []string) ([]string, error) {
	var names []string
	for _, arg := range args {
		about, err := os.Stat(arg)
		if err != nil {
			return nil, err
		}
		if !about.IsDir() {
			names = append(names, filepath.Clean(arg))
			continue
		}
		found, err := filepath.Glob(filepath.Join(arg, "*.csv"))
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s has no .csv files", arg)
		}
		names = append(names, found...)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

func importOrders(ctx context.Context, s *app.Shop, w terminal.World, files []*orderfile.Reader, options importer.OrderOptions) error {
	show := terminal.NewProgress(w.Stderr)
	defer show.Clear()
	began := time.Now()
	options.Refused = func(bad *orderfile.BadValue) {
		show.Clear()
		fmt.Fprintln(w.Stderr, terminal.OneLine(bad.Error()))
	}
	options.Progress = func(done, all int64) {
		show.Say("%d orders of %d, %s", done, all, terminal.Remaining(time.Since(began), float64(done)/float64(max(1, all))))
	}
	run := importer.Orders{Handler: s.Handler, Log: s.Store, Numbers: &commands.OrderNumbers{Pool: s.Pool}, Pool: s.Pool}
	report, err := run.Import(ctx, files, options)
	show.Clear()
	verb := "imported"
	switch {
	case options.DryRun:
		verb = "would be imported"
	case err != nil:
		verb = "imported before it failed"
	}
	if err != nil && (options.DryRun || report.Orders+report.Reviews+report.Products == 0) {
		return err
	}
	_, said := fmt.Fprintf(w.Stdout, "%s: %d orders for %s ₸, %d reviews, %d products added archived; %d orders were there already; %d values could not be used\n",
		verb, report.Orders, terminal.Tenge(report.Total), report.Reviews, report.Products, report.Known, report.Refused)
	if report.Bare > 0 {
		some := strings.Join(report.FirstBare, ", ")
		if report.Bare > int64(len(report.FirstBare)) {
			some += " …"
		}
		_, err := fmt.Fprintln(w.Stdout, terminal.OneLine(fmt.Sprintf("left out: %d orders without a line that can be used, so that nothing says what they cost: %s", report.Bare, some)))
		said = errors.Join(said, err)
	}
	return errors.Join(err, said)
}
