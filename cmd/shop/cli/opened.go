package cli

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

// withShop makes a subcommand that works on the log, as who runs the command line.
func withShop(w terminal.World, do work) func(*cobra.Command, []string) error {
	return withOpened(w, app.OpenShop, do)
}

// cliActor names who runs the command line, as far as the system knows.
func cliActor() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return "cli:" + u.Username
	}
	return fmt.Sprintf("cli:%d", os.Getuid())
}

// work is what a subcommand does with a shop that is open.
type work func(ctx context.Context, s *app.Shop, cmd *cobra.Command, args []string) error

// withOpened is withShop with a way to open the shop.
func withOpened(w terminal.World, open func(context.Context, app.Config, *slog.Logger, func() time.Time) (*app.Shop, error), do work) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) (err error) {
		c, err := app.ReadConfig(w.Getenv)
		if err != nil {
			return err
		}
		if w.Getenv("SHOP_LOG_LEVEL") == "" {
			c.LogLevel = slog.LevelWarn // a person reads the result, not how it came about
		}
		ctx := commands.WithOrigin(cmd.Context(), commands.Origin{Actor: cliActor()})
		ctx = feed.WithAuthor(ctx, feed.Author{Actor: cliActor()})
		s, err := open(ctx, c, app.NewLogger(w.Stderr, c), time.Now)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.Close(ctx)) }()
		if s.Security != nil {
			ctx = securitylog.As(securitylog.Into(ctx, s.Security, securitylog.Request{Route: cmd.CommandPath}), securitylog.Who{Party: securitylog.CLI})
		}
		return do(ctx, s, cmd, args)
	}
}

// reads answers what operators and analysts ask.
func reads(s *app.Shop) *staff.Reader { return staff.NewReader(s.Pool, s.Store, s.Builder) }

// asRecorded names actors as the log does.
func asRecorded(actor string) string { return actor }
