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

// reads answers what operators and analysts ask.
func reads(s *app.Shop) *staff.Reader { return staff.NewReader(s.Pool, s.Store, s.Builder) }

// asRecorded names actors as the log does.
func asRecorded(actor string) string { return actor }

// seesAll: whoever has a shell sees every value.
func seesAll(string, string) bool { return true }
