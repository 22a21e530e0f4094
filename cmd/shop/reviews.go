package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"shop/commands"
	"shop/domain/review"
	"shop/domain/staff"
	"shop/eventstore"
	"shop/readapi"
)

// reviewStates are what a list may be narrowed to.
var reviewStates = []string{"shown", "pending", "hidden"}

// staffReviews are the calls of staff about reviews. They belong to those who help customers, so they take the permissions
// about orders.
type staffReviews struct {
	reviews *commands.Reviews
	lines   readapi.Staff
}

func (s *staffReviews) routes(r chi.Router, allowed guard) {
	add := func(method, path string, permission staff.Permission, e endpoint) {
		r.Method(method, "/api/staff/reviews"+path, allowed(permission, e))
	}
	add("GET", "", staff.SeeOrders, s.list)
	add("POST", "/{id}/answer", staff.ChangeOrders, s.change(func(ctx context.Context, id uuid.UUID, text string) (eventstore.Position, error) {
		return s.reviews.Answer(ctx, id, text)
	}))
	add("POST", "/{id}/hide", staff.ChangeOrders, s.change(func(ctx context.Context, id uuid.UUID, text string) (eventstore.Position, error) {
		return s.reviews.Hide(ctx, id, text)
	}))
	add("POST", "/{id}/show", staff.ChangeOrders, s.change(func(ctx context.Context, id uuid.UUID, _ string) (eventstore.Position, error) {
		return s.reviews.Show(ctx, id)
	}))
	add("POST", "/{id}/remove-photos", staff.ChangeOrders, s.change(func(ctx context.Context, id uuid.UUID, _ string) (eventstore.Position, error) {
		return s.reviews.RemovePhotos(ctx, id)
	}))
}

func (s *staffReviews) list(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	number := func(name string, fallback, most int) (int, error) {
		text := q.Get(name)
		if text == "" {
			return fallback, nil
		}
		return between(text, 0, most)
	}
	limit, badLimit := number("limit", 50, 500)
	offset, badOffset := number("offset", 0, 1_000_000)
	state := q.Get("state")
	if err := errors.Join(badLimit, badOffset); err != nil || state != "" && oneOf(state, reviewStates...) != nil {
		return &staffRefusal{http.StatusBadRequest, "state is shown, pending or hidden; limit and offset are numbers."}
	}
	lines, err := s.lines.Reviews(r.Context(), state, limit, offset)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, map[string][]readapi.ReviewLine{"results": append([]readapi.ReviewLine{}, lines...)})
	return nil
}

// change takes {"text": "…"}: the reply, or why a review is hidden.
func (s *staffReviews) change(do func(context.Context, uuid.UUID, string) (eventstore.Position, error)) endpoint {
	return func(w http.ResponseWriter, r *http.Request) error {
		id, err := uuid.Parse(r.PathValue("id"))
		if err != nil {
			return &staffRefusal{http.StatusNotFound, "There is no such review."}
		}
		var asked struct {
			Text string `json:"text"`
		}
		if err := staffBody(r, &asked); err != nil {
			return err
		}
		position, err := do(r.Context(), id, asked.Text)
		if errors.Is(err, review.ErrUnknown) {
			return &staffRefusal{http.StatusNotFound, "There is no such review."}
		}
		if err != nil {
			return err
		}
		if position > 0 {
			w.Header().Set("X-Event-Position", strconv.FormatInt(int64(position), 10))
		}
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
}

func reviewsCommand(w world) *cobra.Command {
	var text, reason string
	change := func(use, short string, do func(ctx context.Context, s *shop, id uuid.UUID) (eventstore.Position, error)) *cobra.Command {
		return &cobra.Command{
			Use: use + " ID", Short: short,
			Args: func(_ *cobra.Command, args []string) error {
				if len(args) != 1 || uuid.Validate(args[0]) != nil {
					return errors.New("want the id of one review")
				}
				return nil
			},
			RunE: withShop(w, func(ctx context.Context, s *shop, _ *cobra.Command, args []string) error {
				position, err := do(ctx, s, uuid.MustParse(args[0]))
				if err != nil {
					return err
				}
				done := "done"
				if position == 0 {
					done = "nothing to change"
				}
				_, err = fmt.Fprintf(w.stdout, "review %s: %s\n", args[0], done)
				return err
			}),
		}
	}
	answer := change("answer", "Answer a review; an empty text removes the answer", func(ctx context.Context, s *shop, id uuid.UUID) (eventstore.Position, error) {
		return s.reviews().Answer(ctx, id, text)
	})
	answer.Flags().StringVar(&text, "text", "", "the shop's answer, shown to shoppers")
	hide := change("hide", "Hide a review", func(ctx context.Context, s *shop, id uuid.UUID) (eventstore.Position, error) {
		return s.reviews().Hide(ctx, id, reason)
	})
	hide.Flags().StringVar(&reason, "reason", "", "why, for staff")
	hide.PreRunE = func(*cobra.Command, []string) error {
		if strings.TrimSpace(reason) == "" {
			return usageError{errors.New("say why with --reason")}
		}
		return nil
	}
	return group("reviews", "List reviews, answer, hide and show them",
		reviewsList(w), answer, hide,
		change("show", "Put a hidden or waiting review in sight", func(ctx context.Context, s *shop, id uuid.UUID) (eventstore.Position, error) {
			return s.reviews().Show(ctx, id)
		}),
		change("remove-photos", "Take the photos out of a review and delete them", func(ctx context.Context, s *shop, id uuid.UUID) (eventstore.Position, error) {
			return s.reviews().RemovePhotos(ctx, id)
		}),
	)
}

func reviewsList(w world) *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List reviews, newest first", Args: cobra.NoArgs}
	format := formatFlag(cmd)
	limit, offset := pageFlags(cmd, 50)
	state := cmd.Flags().String("state", "", "only "+strings.Join(reviewStates, ", "))
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if *state != "" {
			if err := oneOf(*state, reviewStates...); err != nil {
				return usageError{fmt.Errorf("--state: %w", err)}
			}
		}
		return checkPage(*limit, *offset)
	}
	cmd.RunE = withShop(w, func(ctx context.Context, s *shop, _ *cobra.Command, _ []string) error {
		if err := s.catchUp(ctx, w, "reviews", "catalog"); err != nil {
			return err
		}
		lines, err := readapi.Staff{DB: s.pool}.Reviews(ctx, *state, *limit, *offset)
		if err != nil {
			return err
		}
		return writeList(w.stdout, *format, lines,
			column[readapi.ReviewLine]{"ID", false, func(l readapi.ReviewLine) string { return l.ID.String() }},
			column[readapi.ReviewLine]{"WRITTEN", false, func(l readapi.ReviewLine) string { return moment(l.CreatedAt) }},
			column[readapi.ReviewLine]{"STATE", false, func(l readapi.ReviewLine) string { return l.State }},
			column[readapi.ReviewLine]{"STARS", true, func(l readapi.ReviewLine) string { return strconv.FormatInt(l.Rating, 10) }},
			column[readapi.ReviewLine]{"PHOTOS", true, func(l readapi.ReviewLine) string { return strconv.FormatInt(l.Photos, 10) }},
			column[readapi.ReviewLine]{"ANSWERED", false, func(l readapi.ReviewLine) string { return yesNo(l.Reply != "") }},
			column[readapi.ReviewLine]{"ARTICLE", false, func(l readapi.ReviewLine) string { return l.Article }},
			column[readapi.ReviewLine]{"AUTHOR", false, func(l readapi.ReviewLine) string { return oneLine(l.Author) }},
			column[readapi.ReviewLine]{"REVIEW", false, func(l readapi.ReviewLine) string { return shortened(oneLine(l.Content), 60) }},
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
