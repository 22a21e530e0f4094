package main

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"shop/migrations"
)

func migrateCommand(w world) *cobra.Command {
	return &cobra.Command{
		Use: "migrate", Short: "Bring the database to the shape this program needs", Args: cobra.NoArgs,
		Long: "Apply the migrations the database does not have yet. It is safe while others do the same; 'shop serve' does it at every start.",
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			c, err := readConfig(w.getenv)
			if err != nil {
				return err
			}
			c.LogLevel = max(c.LogLevel, slog.LevelWarn)
			url, server, err := startDatabase(cmd.Context(), c, newLogger(w.stderr, c))
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, stopDatabase(cmd.Context(), server)) }()
			before, err := migrations.Version(cmd.Context(), url)
			if err != nil {
				return err
			}
			if err := migrations.Up(cmd.Context(), url); err != nil {
				return err
			}
			all, err := migrations.List(cmd.Context(), url)
			if err != nil {
				return err
			}
			for _, m := range all {
				state := "applied"
				if m.Number <= before {
					state = "was there"
				}
				fmt.Fprintf(w.stdout, "%-9s  %s\n", state, m.Name)
			}
			return nil
		},
	}
}
