package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/terminal"
	"shop/commands/changes"
	"shop/commands/importer"
	"shop/commands/importer/catalogfile"
)

func catalogCommand(w terminal.World) *cobra.Command {
	return command.Group("catalog", "Show the catalog and change it", catalogList(w), catalogDescribe(w), catalogPrice(w), catalogDiscount(w),
		catalogMark(w), catalogMove(w), catalogArchive(w), catalogRestore(w), catalogImport(w), catalogExport(w))
}

func catalogImport(w terminal.World) *cobra.Command {
	var (
		columns  []string
		folder   string
		rate     string
		options  importer.Options
		settings catalogfile.Options
	)
	cmd := &cobra.Command{
		Use: "import FILE", Short: "Import a catalog from CSV or YML; FILE may be - for standard input", Args: cobra.ExactArgs(1),
		Long: "Change the catalog to match a file: CSV as Excel writes it, or YML, the catalog format of marketplaces (docs/catalog-files.md).\n" +
			"Only changes append events, so a second import of a file appends nothing. A row that cannot be used is reported with\n" +
			"its line and reason. The other rows are imported; the exit status is then 1. What is imported is a change, which is listed and\n" +
			"undone as those of the office, and waits for a second person where the rules say so; a very long file makes several. A copy of\n" +
			"another shop (--archived) is none.",
		Example: "  shop catalog import prices.csv --dry-run\n  shop catalog import feed.yml --columns article=@id --rate 540",
	}
	how := howFlags(cmd)
	cmd.Flags().StringArrayVar(&columns, "columns", nil, "field=header for a file with other names, such as category=Label; may be repeated or joined by comma")
	cmd.Flags().StringVar(&rate, "rate", "", "multiply every price by this number, for lists in another currency")
	cmd.Flags().BoolVar(&options.KeepStock, "keep-stock", false, "leave the stock of existing products as it is")
	cmd.Flags().Int64Var(&options.NewStock, "new-stock", 0, "pieces of a new product when the file gives none")
	cmd.Flags().BoolVar(&options.Archived, "archived", false, "also add new products that are archived in the file, for a copy of another shop")
	cmd.Flags().StringVar(&folder, "pictures", "", "folder of the pictures that the catalog names as files; default the folder of FILE")
	cmd.Flags().StringVar(&options.Category, "category", "", "category of new products without one in the file")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		settings = catalogfile.Options{Columns: map[string]string{}, PriceRate: rate}
		for pair := range strings.SplitSeq(strings.Join(columns, ","), ",") {
			if pair == "" {
				continue
			}
			field, header, found := strings.Cut(pair, "=")
			if !found || field == "" || header == "" {
				return terminal.Usage(fmt.Errorf("--columns: %q is not field=header", pair))
			}
			settings.Columns[field] = header
		}
		if options.NewStock < 0 || options.NewStock > catalogfile.MaxStock {
			return terminal.Usage(fmt.Errorf("--new-stock: want a number from 0 to %d", catalogfile.MaxStock))
		}
		if options.Archived && (*how.reason != "" || !how.at.IsZero()) {
			return terminal.Usage(errors.New("--archived: a copy of another shop is no change, and has no --reason and no --at"))
		}
		return nil
	}
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		options.DryRun = *how.dryRun
		return importFile(ctx, s, w, how, args[0], folder, settings, options)
	})
	return cmd
}

// importFile imports a file, - for standard input, with the pictures of a folder; empty: that of the file.
func importFile(ctx context.Context, s *app.Shop, w terminal.World, how how, from, folder string, settings catalogfile.Options, options importer.Options) error {
	file, name := io.Reader(os.Stdin), "standard input"
	if from != "-" {
		opened, err := os.Open(from)
		if err != nil {
			return err
		}
		defer opened.Close()
		file, name = opened, filepath.Base(from)
	}
	reader, err := catalogfile.Open(file, name, settings)
	if err != nil {
		return err
	}
	options.Source = name
	if folder == "" && from != "-" {
		folder = filepath.Dir(from)
	}
	if folder != "" {
		root, err := os.OpenRoot(folder)
		if err != nil {
			return err
		}
		defer root.Close()
		options.Files = &importer.PictureFiles{Folder: root, Album: s.Album, Kept: !options.Archived}
	}
	made := &imported{shop: s, how: how, file: name}
	if !options.Archived {
		options.Propose = made.propose
	}
	if err := how.catchUp(ctx, s, w); err != nil {
		return err
	}
	err = importCatalog(ctx, s, w, reader, options)
	for _, later := range made.later {
		fmt.Fprintln(w.Stdout, later)
	}
	return err
}

// imported are the changes that a file makes.
type imported struct {
	shop *app.Shop
	how  how
	file string
	// later says of changes that are not made yet what they wait for.
	later []string
}

// propose makes rows a change, and answers what became of each item. What cannot be as the file says is left.
func (i *imported) propose(ctx context.Context, items []changes.Asked) ([]changes.Row, error) {
	answer, err := i.shop.Changes.Propose(ctx, changes.Proposal{
		Title: shortened("shop catalog import: "+i.file, longTitle), Reason: cmp.Or(*i.how.reason, i.file), StartsAt: i.how.at.Time, EndsAt: i.how.until.Time,
		Items: items, Partly: true, May: anything,
	})
	var refused *changes.Refused
	if errors.As(err, &refused) {
		return refused.Rows, nil
	}
	if err != nil {
		return nil, err
	}
	if became := becameOf(answer); became.waits != "" || became.planned != "" {
		i.later = append(i.later, became.outcome("", false))
	}
	return answer.Rows, nil
}

// maxChangesShown keeps a first import of a large file from filling the screen with what is new.
const maxChangesShown = 200

func importCatalog(ctx context.Context, s *app.Shop, w terminal.World, file *catalogfile.Reader, options importer.Options) error {
	show := terminal.NewProgress(w.Stderr)
	changed := 0
	options.Refused = func(e *catalogfile.RowError) {
		show.Clear()
		fmt.Fprintln(w.Stderr, terminal.OneLine(e.Error()))
	}
	options.Changed = func(c importer.Changed) {
		if !options.DryRun {
			return
		}
		if changed++; changed > maxChangesShown {
			return
		}
		show.Clear()
		what := strings.Join(c.What, ", ")
		if c.New {
			what = "new"
		}
		fmt.Fprintln(w.Stdout, terminal.OneLine(fmt.Sprintf("line %d  %s  %s: %s", c.Line, c.Article, c.Name, what)))
	}
	options.Progress = func(r importer.Report) { show.Say("%d rows", r.Rows) }
	run := importer.Catalog{Handler: s.Handler, Log: s.Store}
	report, err := run.Import(ctx, file, options)
	show.Clear()
	for _, warning := range file.Warnings() {
		fmt.Fprintln(w.Stderr, "note:", terminal.OneLine(warning))
	}
	if changed > maxChangesShown {
		fmt.Fprintf(w.Stdout, "… and %d more\n", changed-maxChangesShown)
	}
	verb := "imported"
	if options.DryRun {
		verb = "would be imported"
	}
	fmt.Fprintf(w.Stdout, "%s: %d rows: %d new, %d changed, %d as they were, %d refused; %d brands, %d categories, %d marks; %d events\n",
		verb, report.Rows, report.Added, report.Changed, report.Unchanged, report.Refused, report.Brands, report.Categories, report.Marks, report.Events)
	if err != nil {
		return err
	}
	if report.Refused > 0 {
		return fmt.Errorf("%d of %d rows were refused", report.Refused, report.Rows)
	}
	return nil
}
