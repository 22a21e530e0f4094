package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/terminal"
	"shop/eventstore"
	"shop/readapi/staff"
)

func reviewsCommand(w terminal.World) *cobra.Command {
	var text, reason string
	change := func(use, short string, do func(ctx context.Context, s *app.Shop, id uuid.UUID) (eventstore.Position, error)) *cobra.Command {
		return &cobra.Command{
			Use: use + " ID", Short: short,
			Args: func(_ *cobra.Command, args []string) error {
				if len(args) != 1 || uuid.Validate(args[0]) != nil {
					return errors.New("want the id of one review")
				}
				return nil
			},
			RunE: command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
				position, err := do(ctx, s, uuid.MustParse(args[0]))
				if err != nil {
					return err
				}
				done := "done"
				if position == 0 {
					done = "nothing to change"
				}
				_, err = fmt.Fprintf(w.Stdout, "review %s: %s\n", args[0], done)
				return err
			}),
		}
	}
	answer := change("answer", "Answer a review; an empty text removes the answer", func(ctx context.Context, s *app.Shop, id uuid.UUID) (eventstore.Position, error) {
		return s.Reviews.Answer(ctx, id, text)
	})
	answer.Flags().StringVar(&text, "text", "", "the shop's answer, shown to shoppers")
	hide := change("hide", "Hide a review", func(ctx context.Context, s *app.Shop, id uuid.UUID) (eventstore.Position, error) {
		return s.Reviews.Hide(ctx, id, reason)
	})
	hide.Flags().StringVar(&reason, "reason", "", "why, for staff")
	hide.PreRunE = func(*cobra.Command, []string) error {
		if strings.TrimSpace(reason) == "" {
			return terminal.Usage(errors.New("say why with --reason"))
		}
		return nil
	}
	return command.Group("reviews", "List reviews, answer, hide and show them",
		reviewsList(w), answer, hide,
		change("show", "Put a hidden or waiting review in sight", func(ctx context.Context, s *app.Shop, id uuid.UUID) (eventstore.Position, error) {
			return s.Reviews.Show(ctx, id)
		}),
		change("remove-photos", "Take the photos out of a review and delete them", func(ctx context.Context, s *app.Shop, id uuid.UUID) (eventstore.Position, error) {
			return s.Reviews.RemovePhotos(ctx, id)
		}),
		reviewsForget(w),
	)
}

func reviewsList(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List reviews, newest first", Args: cobra.NoArgs}
	format := command.FormatFlag(cmd)
	limit, offset := command.PageFlags(cmd, 50)
	state := cmd.Flags().String("state", "", "only "+strings.Join(staff.ReviewStates, ", "))
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if *state != "" {
			if err := app.OneOf(*state, staff.ReviewStates...); err != nil {
				return terminal.Usage(fmt.Errorf("--state: %w", err))
			}
		}
		return command.CheckPage(*limit, *offset)
	}
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, _ []string) error {
		if err := s.CatchUp(ctx, w, "reviews", "catalog"); err != nil {
			return err
		}
		lines, err := staff.Shop{DB: s.Pool}.Reviews(ctx, *state, *limit, *offset)
		if err != nil {
			return err
		}
		return terminal.WriteList(w.Stdout, *format, lines,
			terminal.Left("ID", func(l staff.ReviewLine) string { return l.ID.String() }),
			terminal.Left("WRITTEN", func(l staff.ReviewLine) string { return terminal.Moment(l.CreatedAt) }),
			terminal.Left("STATE", func(l staff.ReviewLine) string { return l.State }),
			terminal.Right("STARS", func(l staff.ReviewLine) string { return strconv.FormatInt(l.Rating, 10) }),
			terminal.Right("PHOTOS", func(l staff.ReviewLine) string { return strconv.FormatInt(l.Photos, 10) }),
			terminal.Left("ANSWERED", func(l staff.ReviewLine) string { return command.YesNo(l.Reply != "") }),
			terminal.Left("ARTICLE", func(l staff.ReviewLine) string { return l.Article }),
			terminal.Left("AUTHOR", func(l staff.ReviewLine) string { return terminal.OneLine(l.Author) }),
			terminal.Left("REVIEW", func(l staff.ReviewLine) string { return shortened(terminal.OneLine(l.Content), 60) }),
		)
	})
	return cmd
}

// shortened is at most so many characters of a text.
func shortened(text string, most int) string {
	if letters := []rune(text); len(letters) > most {
		return string(letters[:most-1]) + "…"
	}
	return text
}
