package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"shop/cmd/shop/demo"
	"shop/commands"
	"shop/commands/pagefile"
	"shop/domain/content"
	"shop/readapi"
)

func contentCommand(w world) *cobra.Command {
	return group("content", "Change the named texts and slides of the storefront", contentSet(w), contentList(w), contentShow(w))
}

func contentSet(w world) *cobra.Command {
	cmd := &cobra.Command{
		Use: "set NAME FILE.md", Short: "Change a content block to match a file", Args: cobra.ExactArgs(2),
		Long: "Change a content block to match a file's front matter: a text, or slides (docs/content.md). An unchanged block appends nothing.\n" +
			"A text may have placeholders for numbers of the rules, such as {free_from}; " + content.DiscountText + " must use them.",
		Example: "  shop content set main-slider slider.md",
	}
	dryRun := dryRunFlag(cmd)
	cmd.RunE = withShop(w, func(ctx context.Context, s *shop, _ *cobra.Command, args []string) error {
		text, err := readFile(args[1])
		if err != nil {
			return err
		}
		pictures, err := demo.Pictures()
		if err != nil {
			return err
		}
		b, err := pagefile.ReadBlock(filepath.Base(args[1]), text, pictures)
		if err != nil {
			return err
		}
		blocks := &commands.Content{Handler: s.handler}
		var changed bool
		if *dryRun {
			changed, err = blocks.WouldChange(ctx, args[0], b.Text, b.Slides)
		} else {
			position, failure := blocks.Change(ctx, args[0], b.Text, b.Slides)
			changed, err = position > 0, failure
		}
		if err != nil {
			return b.Blame(err)
		}
		_, err = fmt.Fprintf(w.stdout, "%s: %s\n", args[0], outcome("changed", changed, *dryRun))
		return err
	})
	return cmd
}

func contentList(w world) *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List the blocks", Args: cobra.NoArgs}
	format := formatFlag(cmd)
	cmd.RunE = withShop(w, func(ctx context.Context, s *shop, _ *cobra.Command, _ []string) error {
		rows, err := s.blocks(ctx, w, "")
		if err != nil {
			return err
		}
		return writeList(w.stdout, *format, rows,
			column[readapi.BlockLine]{"NAME", false, func(b readapi.BlockLine) string { return b.Name }},
			column[readapi.BlockLine]{"CHANGED", false, func(b readapi.BlockLine) string { return moment(b.UpdatedAt) }},
			column[readapi.BlockLine]{"SLIDES", true, func(b readapi.BlockLine) string { return strconv.Itoa(len(slidesOf(b))) }},
			column[readapi.BlockLine]{"TEXT", false, func(b readapi.BlockLine) string { return b.Text }},
		)
	})
	return cmd
}

func contentShow(w world) *cobra.Command {
	cmd := &cobra.Command{Use: "show NAME", Short: "Show a block", Args: cobra.ExactArgs(1)}
	format := formatFlag(cmd)
	cmd.RunE = withShop(w, func(ctx context.Context, s *shop, _ *cobra.Command, args []string) error {
		rows, err := s.blocks(ctx, w, args[0])
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			return fmt.Errorf("there is no block %s", args[0])
		}
		b := rows[0]
		if *format == "json" {
			return writeIndented(w.stdout, b)
		}
		fmt.Fprintf(w.stdout, "%s  changed %s\n", b.Name, moment(b.UpdatedAt))
		if b.Text != "" {
			fmt.Fprintln(w.stdout, oneLine(b.Text))
		}
		if slides := slidesOf(b); len(slides) > 0 {
			return writeList(w.stdout, "table", slides,
				column[content.Slide]{"FILE", false, func(s content.Slide) string { return s.File }},
				column[content.Slide]{"URL", false, func(s content.Slide) string { return s.URL }},
				column[content.Slide]{"ALT", false, func(s content.Slide) string { return s.Alt }},
			)
		}
		return nil
	})
	return cmd
}

func (s *shop) blocks(ctx context.Context, w world, name string) ([]readapi.BlockLine, error) {
	if err := s.catchUp(ctx, w, "content"); err != nil {
		return nil, err
	}
	return readapi.Staff{DB: s.pool}.Blocks(ctx, name)
}

// slidesOf reads what the read model wrote itself, which cannot fail.
func slidesOf(b readapi.BlockLine) (slides []content.Slide) {
	json.Unmarshal(b.Slides, &slides)
	return slides
}
