package operator

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/terminal"
	"shop/commands/identity/securitylog"
	"shop/eventstore/keyring"
)

func keysCommand(w terminal.World) *cobra.Command {
	return command.Group("keys", "Show and replace the keys of the key file", keysNew(w), keysShow(w), keysRotate(w))
}

func keysNew(w terminal.World) *cobra.Command {
	var file string
	var last bool
	cmd := &cobra.Command{
		Use: "new", Short: "Add a new key to the key file, or make the file", Args: cobra.NoArgs,
		Long: "Add a new key to the key file of SHOP_KEY_FILE, in the first place, or make the file. Processes of the shop notice the new\n" +
			"file within a second and wrap new keys with its first key. 'shop keys rotate' then wraps the others with it. With --last the\n" +
			"new key opens only, so that every machine can have it before the first one wraps with it.",
		Example: "  shop keys new --file /etc/shop/shop.key\n  shop keys new && shop keys rotate",
	}
	cmd.Flags().StringVar(&file, "file", "", "the key file; default SHOP_KEY_FILE, or shop.key in the data folder")
	cmd.Flags().BoolVar(&last, "last", false, "put the key below the others: it opens and does not wrap")
	cmd.RunE = func(*cobra.Command, []string) error {
		if file == "" {
			c, err := app.ReadConfig(w.Getenv)
			if err != nil {
				return err
			}
			file = c.KeyPath()
		}
		id, made, err := keyring.Add(file, last)
		if err != nil {
			return err
		}
		does := "wraps"
		if last && !made {
			does = "opens"
		}
		if _, err := fmt.Fprintf(w.Stdout, "key %s %s now, in %s\n", id, does, file); err != nil || !made {
			return err
		}
		_, err = fmt.Fprintln(w.Stdout, "keep a copy of the file apart from the database and its backups: without it neither can be read")
		return err
	}
	return cmd
}

func keysShow(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "show", Short: "Show the ids of the keys in the key file, and how much each wraps", Args: cobra.NoArgs,
	}
	format := command.FormatFlag(cmd)
	cmd.RunE = command.WithOpened(w, app.OpenLog, func(ctx context.Context, s *app.Shop, _ *cobra.Command, _ []string) error {
		uses, bare, err := s.KeyUses(ctx)
		if err != nil {
			return err
		}
		type row struct {
			ID      string `json:"id"`
			Does    string `json:"does"`
			Secrets int64  `json:"secrets"`
			Persons int64  `json:"persons"`
		}
		var rows []row
		for _, u := range uses {
			r := row{u.ID.String(), "opens", u.Secrets, u.Persons}
			if u.Wraps {
				r.Does = "wraps"
			}
			rows = append(rows, r)
		}
		if bare > 0 {
			fmt.Fprintf(w.Stderr, "note: %d keys in the database are not wrapped; 'shop keys rotate' wraps them\n", bare)
		}
		return terminal.WriteList(w.Stdout, *format, rows,
			terminal.Left("key", func(r row) string { return r.ID }), terminal.Left("does", func(r row) string { return r.Does }),
			terminal.Right("secrets", func(r row) string { return fmt.Sprint(r.Secrets) }), terminal.Right("persons", func(r row) string { return fmt.Sprint(r.Persons) }))
	})
	return cmd
}

func keysRotate(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "rotate", Short: "Wrap all keys in the database with the first key of the key file", Args: cobra.NoArgs,
		Long: "Wrap the shop's secrets and the keys of persons with the first key of the key file, while the shop stays open. When it is\n" +
			"interrupted, the same command continues. Keys of the file that wrap nothing any more are named at the end: remove them from\n" +
			"the file, after every process has the new one, if no backup is to be opened with them.",
	}
	lost := cmd.Flags().Bool("lost-secrets", false, "make new secrets where the table of secrets was lost: authenticators, waiting letters and links in sent letters then no longer work")
	open := func(ctx context.Context, c app.Config, log *slog.Logger, clock func() time.Time) (*app.Shop, error) {
		c.LostSecrets = *lost
		return app.OpenLog(ctx, c, log, clock)
	}
	cmd.RunE = command.WithOpened(w, open, func(ctx context.Context, s *app.Shop, _ *cobra.Command, _ []string) error {
		show := terminal.NewProgress(w.Stderr)
		defer show.Clear()
		began := time.Now()
		done, err := s.RotateKeys(ctx, func(looked, of int64) {
			show.Say("%d of %d persons, %s", looked, of, terminal.Remaining(time.Since(began), float64(looked)/float64(max(1, of))))
		})
		if err != nil {
			return err
		}
		show.Clear()
		securitylog.Note(ctx, securitylog.Entry{Kind: securitylog.Keys, Outcome: securitylog.Renewed})
		fmt.Fprintf(w.Stdout, "key %s wraps all secrets and the keys of all persons; %d of them were wrapped now\n", done.First, done.Persons)
		if len(done.Others) > 0 {
			return errors.New("keys made meanwhile are wrapped with " + list(done.Others) + ": a process still has the former key file; give it the new one and repeat 'shop keys rotate'")
		}
		if len(done.Idle) > 0 {
			_, err = fmt.Fprintf(w.Stdout, "wraps nothing any more, remove it from %s: %s\n", s.Store.Keys().Path(), list(done.Idle))
		}
		return err
	})
	return cmd
}

func list(ids []keyring.ID) string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = id.String()
	}
	return strings.Join(names, ", ")
}
