package operator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/terminal"
	"shop/commands/identity/securitylog"
	"shop/eventstore/keyring"
	"shop/migrations/backup"
	"shop/projections"
)

// ofBackup is what the key of a backup is for.
var ofBackup = keyring.Use{Kind: "file", Of: "backup"}

func backupCommand(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "backup FILE", Short: "Write what the log cannot rebuild to a file that only the key file opens", Args: cobra.ExactArgs(1),
		Long: "Write the log, the wrapped keys, accounts, waiting letters and everything else that cannot be rebuilt, as it is at one moment. The\n" +
			"shop may stay open. Read models and sessions are left out. The file is sealed with the first key of the key file: without that\n" +
			"file nobody can read it, you neither, so keep a copy of the key file elsewhere. Photos are files of the data folder and not in it.",
		Example: "  shop backup /backup/shop-$(date +%F).age",
	}
	cmd.RunE = command.WithOpened(w, app.OpenLog, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		show := terminal.NewProgress(w.Stderr)
		defer show.Clear()
		o := backup.Options{Now: s.Clock(), Progress: func(table string) { show.Say("%s", table) }}
		for _, p := range projections.All() {
			o.ReadModels = append(o.ReadModels, p.Name)
		}
		var done backup.Report
		err := terminal.WriteFile(args[0], func(to io.Writer) error {
			sealed, err := s.Store.Keys().Seal(ofBackup, to)
			if err != nil {
				return err
			}
			if done, err = backup.Write(ctx, s.Pool, sealed, o); err != nil {
				return err
			}
			return sealed.Close()
		})
		if err != nil {
			return err
		}
		show.Clear()
		securitylog.Note(ctx, securitylog.Entry{Kind: securitylog.Export, Outcome: securitylog.OK, How: "backup"})
		_, err = fmt.Fprintf(w.Stdout, "%s: %d rows of %d tables, sealed with key %s\n", args[0], done.Rows, done.Tables, s.Store.Keys().First())
		return err
	})
	return cmd
}

func restoreCommand(w terminal.World) *cobra.Command {
	return &cobra.Command{
		Use: "restore FILE", Short: "Fill a new database from a backup", Args: cobra.ExactArgs(1),
		Long: "Fill a new database, or the embedded server of a new data folder, from a file of 'shop backup'. SHOP_KEY_FILE names the key file that\n" +
			"belongs to the backup. The next 'shop serve' builds the read models from the log; customers and staff sign in again.",
		Example: "  SHOP_KEY_FILE=/etc/shop/shop.key shop restore /backup/shop-2026-11-23.age",
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			c, err := app.ReadConfig(w.Getenv)
			if err != nil {
				return err
			}
			c.LogLevel = max(c.LogLevel, slog.LevelWarn)
			ring, err := keyring.Open(c.KeyPath())
			if err != nil {
				return fmt.Errorf("a backup opens with its key file alone: %w", err)
			}
			file, closeFile, err := terminal.OpenPlain(args[0])
			if err != nil {
				return err
			}
			defer closeFile()
			plain, err := ring.Unseal(ofBackup, file)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			at, err := app.StartDatabase(cmd.Context(), c, app.NewLogger(w.Stderr, c))
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, at.Stop(cmd.Context())) }()
			done, err := backup.Restore(cmd.Context(), at.Owner, plain)
			if err != nil {
				return err
			}
			if _, err := at.Migrate(cmd.Context()); err != nil {
				return err
			}
			_, err = fmt.Fprintf(w.Stdout, "%d rows of %d tables, as they were at %s; 'shop serve' builds the read models\n", done.Rows, done.Tables, terminal.Moment(done.TakenAt))
			return err
		},
	}
}
