package cli

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/terminal"
	"shop/commands/importer/catalogfile"
	"shop/readapi"
)

func catalogExport(w terminal.World) *cobra.Command {
	var format, out string
	cmd := &cobra.Command{
		Use: "export", Short: "Write the catalog to a CSV or YML file that imports again without a change", Args: cobra.NoArgs,
		Long: "Write every product, archived ones too, as of one moment, in the format that 'shop catalog import' reads. Importing the file\n" +
			"into an unchanged catalog appends nothing. To copy the catalog into another shop, import it there with --archived.",
		Example: "  shop catalog export --out goods.csv\n  shop catalog export --format yml --out goods.xml.gz",
	}
	cmd.Flags().StringVar(&format, "format", "csv", "csv or yml")
	cmd.Flags().StringVar(&out, "out", "-", "file to write, compressed if it ends in .gz; -: standard output")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if err := app.OneOf(format, "csv", "yml"); err != nil {
			return terminal.Usage(fmt.Errorf("--format: %w", err))
		}
		return nil
	}
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, _ []string) error {
		if err := s.CatchUp(ctx, w, "catalog", "stock", "packing"); err != nil {
			return err
		}
		show := terminal.NewProgress(w.Stderr)
		defer show.Clear()
		products := 0
		export := func(to io.Writer) error {
			return app.WriteOffers(ctx, readapi.Offers{DB: s.Pool}, func(head readapi.Head) (catalogfile.Writer, error) {
				if format == "csv" {
					return catalogfile.NewCSV(to)
				}
				return catalogfile.NewYML(to, catalogfile.Shop{
					Name: s.Config.Contact.Name, LegalName: cmp.Or(head.LegalName, s.Config.Contact.LegalName), URL: s.Config.PublicURL, Categories: head.Categories,
				}, false)
			}, func(o readapi.Offer) catalogfile.Row {
				products++
				show.Say("%d products", products)
				r := app.RowOf(o)
				r.Available, r.Stock, r.Archived = true, &o.OnHand, &o.Archived
				r.Shelf, r.LowLine = o.Shelf, o.LowLine
				return r
			})
		}
		if out != "-" {
			if err := terminal.WriteFile(out, export); err != nil {
				return err
			}
			show.Clear()
			_, err := fmt.Fprintf(w.Stdout, "%s: %d products\n", out, products)
			return err
		}
		buffered := bufio.NewWriterSize(w.Stdout, 256<<10)
		if err := export(buffered); err != nil {
			return err
		}
		return buffered.Flush()
	})
	return cmd
}
