package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/images"
	"shop/cmd/shop/terminal"
	"shop/commands"
	"shop/commands/importer/pagefile"
	"shop/domain/content"
	"shop/readapi/search"
	"shop/readapi/staff"
)

func contentCommand(w terminal.World) *cobra.Command {
	return command.Group("content", "Change the named texts and slides of the storefront", contentSet(w), contentList(w), contentShow(w))
}

func contentSet(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "set NAME FILE.md", Short: "Change a content block to match a file", Args: cobra.ExactArgs(2),
		Long: "Change a content block to match a file's front matter: a text, or slides (docs/content.md). An unchanged block appends nothing.\n" +
			"A text may have placeholders for numbers of the rules, such as {free_from}; " + content.DiscountText + " must use them.\n" +
			"The block " + search.LexiconBlock + " is what searches know of words (docs/search.md); its file may also be as shop search words prints it.",
		Example: "  shop content set main-slider slider.md",
	}
	how := howFlags(cmd)
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		text, err := terminal.ReadText(args[1])
		if err != nil {
			return err
		}
		pictures, err := images.Pictures()
		if err != nil {
			return err
		}
		b, err := blockOf(args[0], filepath.Base(args[1]), text, pictures)
		if err != nil {
			return err
		}
		blocks := &commands.Content{Handler: s.Handler}
		changed, err := blocks.WouldChange(ctx, args[0], b.Text, b.Slides)
		if err != nil {
			return b.Blame(err)
		}
		became := said{changed: changed}
		if changed {
			text, err := ask("content", args[0], "text", nil, b.Text)
			if err != nil {
				return err
			}
			slides, err := ask("content", args[0], "slides", nil, append([]content.Slide{}, b.Slides...))
			if err != nil {
				return err
			}
			if became, err = how.propose(ctx, s, w, "shop content set "+args[0], text, slides); err != nil {
				return err
			}
		}
		_, err = fmt.Fprintf(w.Stdout, "%s: %s\n", args[0], became.outcome("changed", *how.dryRun))
		return err
	})
	return cmd
}

// blockOf is the block that a file describes. The lexicon may be its whole text, as shop search words prints it.
func blockOf(block, file string, text []byte, pictures pagefile.Pictures) (b pagefile.Block, err error) {
	if block == search.LexiconBlock && !pagefile.HasFields(text) {
		b, err = pagefile.ReadPlain(file, text)
	} else {
		b, err = pagefile.ReadBlock(file, text, pictures)
	}
	if err != nil || block != search.LexiconBlock {
		return b, err
	}
	if err := search.CheckLexicon(b.Text); err != nil {
		return b, fmt.Errorf("%s: %w", file, err)
	}
	return b, nil
}

func contentList(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List the blocks", Args: cobra.NoArgs}
	format := command.FormatFlag(cmd)
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, _ []string) error {
		rows, err := blocks(ctx, s, w, "")
		if err != nil {
			return err
		}
		return terminal.WriteList(w.Stdout, *format, rows,
			terminal.Left("NAME", func(b staff.BlockLine) string { return b.Name }),
			terminal.Left("CHANGED", func(b staff.BlockLine) string { return terminal.Moment(b.UpdatedAt) }),
			terminal.Right("SLIDES", func(b staff.BlockLine) string { return strconv.Itoa(len(slidesOf(b))) }),
			terminal.Left("TEXT", func(b staff.BlockLine) string { return b.Text }),
		)
	})
	return cmd
}

func contentShow(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{Use: "show NAME", Short: "Show a block", Args: cobra.ExactArgs(1)}
	format := command.FormatFlag(cmd)
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		rows, err := blocks(ctx, s, w, args[0])
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			return fmt.Errorf("there is no block %s", args[0])
		}
		b := rows[0]
		if *format == "json" {
			return terminal.WriteIndented(w.Stdout, b)
		}
		fmt.Fprintf(w.Stdout, "%s  changed %s\n", b.Name, terminal.Moment(b.UpdatedAt))
		if b.Text != "" {
			fmt.Fprintln(w.Stdout, terminal.OneLine(b.Text))
		}
		if slides := slidesOf(b); len(slides) > 0 {
			return terminal.WriteList(w.Stdout, "table", slides,
				terminal.Left("FILE", func(s content.Slide) string { return s.File }),
				terminal.Left("URL", func(s content.Slide) string { return s.URL }),
				terminal.Left("ALT", func(s content.Slide) string { return s.Alt }),
			)
		}
		return nil
	})
	return cmd
}

func blocks(ctx context.Context, s *app.Shop, w terminal.World, name string) ([]staff.BlockLine, error) {
	if err := s.CatchUp(ctx, w, "content"); err != nil {
		return nil, err
	}
	return staff.Shop{DB: s.Pool}.Blocks(ctx, name)
}

// slidesOf reads what the read model wrote itself, which cannot fail.
func slidesOf(b staff.BlockLine) (slides []content.Slide) {
	json.Unmarshal(b.Slides, &slides)
	return slides
}
