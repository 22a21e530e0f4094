package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/terminal"
	"shop/commands"
	"shop/commands/mail"
	"shop/domain"
)

func mailsCommand(w terminal.World) *cobra.Command {
	return command.Group("mails", "Show and retry letters that could not be sent", mailsList(w), mailsRetry(w), mailsSkip(w), mailsPreview(w))
}

func mailsList(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "list", Short: "List dead letters with their errors", Args: cobra.NoArgs,
		Long: "List letters that are not tried any more. Recipients and contents are hidden; a letter about an order names its stream.",
	}
	format := command.FormatFlag(cmd)
	all := cmd.Flags().Bool("all", false, "also list waiting and skipped letters")
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, _ []string) error {
		entries, err := s.Outbox.List(ctx, *all)
		if err != nil {
			return err
		}
		return terminal.WriteList(w.Stdout, *format, entries,
			terminal.Left("ID", func(e mail.Entry) string { return e.ID.String() }),
			terminal.Left("KIND", func(e mail.Entry) string { return string(e.Kind) }),
			terminal.Left("STATE", func(e mail.Entry) string { return string(e.State) }),
			terminal.Left("OF", func(e mail.Entry) string { return e.Stream }),
			terminal.Right("TRIED", func(e mail.Entry) string { return strconv.Itoa(e.Attempts) }),
			terminal.Left("SINCE", func(e mail.Entry) string { return terminal.Moment(e.CreatedAt) }),
			terminal.Left("ERROR", func(e mail.Entry) string {
				if e.Reason != "" {
					return e.Error + " (given up: " + e.Reason + ")"
				}
				return e.Error
			}),
		)
	})
	return cmd
}

func mailsRetry(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "retry ID", Short: "Try to send a dead letter again", Args: cobra.MaximumNArgs(1),
		Long: "Try to send a dead letter again, or all of them. The process with the role policies makes the attempt at once.",
	}
	all := cmd.Flags().Bool("all", false, "every dead letter")
	cmd.PreRunE = func(_ *cobra.Command, args []string) error {
		if *all == (len(args) == 1) {
			return terminal.Usage(errors.New("want an ID, or --all"))
		}
		return checkMailIDs(args)
	}
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		var id uuid.UUID
		if len(args) == 1 {
			id = uuid.MustParse(args[0])
		}
		n, err := s.Outbox.Retry(ctx, id)
		if err != nil {
			return err
		}
		if n == 0 && !*all {
			return errors.New("there is no such dead letter")
		}
		_, err = fmt.Fprintf(w.Stdout, "%d to be tried again\n", n)
		return err
	})
	return cmd
}

func checkMailIDs(args []string) error {
	for _, arg := range args {
		if id, err := uuid.Parse(arg); err != nil || id == uuid.Nil {
			return terminal.Usage(fmt.Errorf("%q is not a letter's ID", arg))
		}
	}
	return nil
}

func mailsSkip(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "skip ID --reason TEXT", Short: "Skip a dead letter", Args: cobra.ExactArgs(1),
		Example: "  shop mails skip 01965b8e-7c00-7000-8000-000000000001 --reason 'mistyped address, customer was called'",
	}
	reason := cmd.Flags().String("reason", "", "why; it is kept for thirty days")
	cmd.PreRunE = func(_ *cobra.Command, args []string) error {
		if strings.TrimSpace(*reason) == "" {
			return terminal.Usage(errors.New("want --reason: somebody did not get a letter and may ask"))
		}
		return checkMailIDs(args)
	}
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		found, err := s.Outbox.Skip(ctx, uuid.MustParse(args[0]), commands.OriginOf(ctx).Actor, *reason)
		if err != nil {
			return err
		}
		if !found {
			return errors.New("there is no such dead letter")
		}
		_, err = fmt.Fprintln(w.Stdout, "given up")
		return err
	})
	return cmd
}

func mailsPreview(w terminal.World) *cobra.Command {
	var names []string
	for _, k := range mail.Kinds() {
		names = append(names, string(k))
	}
	cmd := &cobra.Command{
		Use: "preview KIND...", Short: "Write sample letters as .html and .eml", Args: cobra.MinimumNArgs(1),
		Long: "Write sample letters as this shop would send them, to look at. Kinds: all, " + strings.Join(names, ", ") + ".",
	}
	out := cmd.Flags().String("out", ".", "folder to write to")
	language := cmd.Flags().String("language", "ru", "ru or kk")
	cmd.PreRunE = func(_ *cobra.Command, args []string) error {
		if err := app.OneOf(*language, "ru", domain.Kazakh); err != nil {
			return terminal.Usage(err)
		}
		for _, arg := range args {
			if arg != "all" {
				if err := app.OneOf(arg, names...); err != nil {
					return terminal.Usage(err)
				}
			}
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c, err := app.ReadConfig(w.Getenv)
		if err != nil {
			return err
		}
		if c.PublicURL == "" {
			c.PublicURL = "https://shop.example"
		}
		if slices.Contains(args, "all") {
			args = names
		}
		if err := os.MkdirAll(*out, 0o755); err != nil {
			return err
		}
		// A sample's links open nothing, so any key will do.
		renderer := c.Renderer(mail.Links{PublicURL: c.PublicURL, Key: make([]byte, 32)})
		for _, name := range args {
			m, _, err := renderer.Sample(mail.Kind(name), *language)
			if err != nil {
				return err
			}
			page := filepath.Join(*out, name+".html")
			if err := os.WriteFile(page, []byte(m.HTML), 0o644); err != nil {
				return err
			}
			if err := (mail.Folder{Path: *out}).Send(cmd.Context(), m); err != nil {
				return err
			}
			if _, err := fmt.Fprintln(w.Stdout, page); err != nil {
				return err
			}
		}
		return nil
	}
	return cmd
}
