package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/user"
	"time"

	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/terminal"
	"shop/commands"
	"shop/commands/identity/securitylog"
	"shop/eventstore/feed"
	"shop/readapi/staff"
)

// Actor names who runs the command line, as far as the system knows.
func Actor() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return "cli:" + u.Username
	}
	return fmt.Sprintf("cli:%d", os.Getuid())
}

// reads answers what operators and analysts ask.
func Reads(s *app.Shop) *staff.Reader { return staff.NewReader(s.Pool, s.Store, s.Builder) }

// WithOpened is WithShop with a way to open the shop.
func WithOpened(w terminal.World, open func(context.Context, app.Config, *slog.Logger, func() time.Time) (*app.Shop, error), do Work) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) (err error) {
		c, err := app.ReadConfig(w.Getenv)
		if err != nil {
			return err
		}
		if w.Getenv("SHOP_LOG_LEVEL") == "" {
			c.LogLevel = slog.LevelWarn // a person reads the result, not how it came about
		}
		ctx := commands.WithOrigin(cmd.Context(), commands.Origin{Actor: Actor()})
		ctx = feed.WithAuthor(ctx, feed.Author{Actor: Actor()})
		s, err := open(ctx, c, app.NewLogger(w.Stderr, c), c.Now)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.Close(ctx)) }()
		if s.Security != nil {
			ctx = securitylog.As(securitylog.Into(ctx, s.Security, securitylog.Request{Route: cmd.CommandPath}), securitylog.Who{Party: securitylog.CLI})
			noteTaking(ctx, cmd)
		}
		return do(ctx, s, cmd, args)
	}
}

// WithShop makes a subcommand that works on the log, as who runs the command line.
func WithShop(w terminal.World, do Work) func(*cobra.Command, []string) error {
	return WithOpened(w, app.OpenShop, do)
}

// work is what a subcommand does with a shop that is open.
type Work func(ctx context.Context, s *app.Shop, cmd *cobra.Command, args []string) error

// noteTaking records that a subcommand shows persons, or writes them to a file.
func noteTaking(ctx context.Context, cmd *cobra.Command) {
	for flag, e := range map[string]securitylog.Entry{
		"personal":  {Kind: securitylog.Look, How: "log"},
		"with-keys": {Kind: securitylog.Export, How: "log, with keys"},
		"unmasked":  {Kind: securitylog.Export, How: "data set, with personal data"},
	} {
		if cmd.Flags().Changed(flag) {
			e.Outcome = securitylog.OK
			securitylog.Note(ctx, e)
		}
	}
	switch cmd.CommandPath() {
	case "shop orders show", "shop customers show":
		securitylog.Note(ctx, securitylog.Entry{Kind: securitylog.Look, Outcome: securitylog.OK, How: cmd.Parent().Name()})
	}
}
