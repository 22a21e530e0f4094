package operator

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/terminal"
	"shop/migrations"
	"shop/projections"
)

func migrateCommand(w terminal.World) *cobra.Command {
	var role string
	cmd := &cobra.Command{
		Use: "migrate", Short: "Apply migrations and build changed read models", Args: cobra.NoArgs,
		Long: "Apply the migrations that the database does not have yet, and build the read models whose definition this version of the program\n" +
			"changes. They are built beside the live ones and then replace them. It is safe while other processes do the same and while the\n" +
			"shop is open; 'shop serve' does it at every start.",
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			c, err := app.ReadConfig(w.Getenv)
			if err != nil {
				return err
			}
			c.LogLevel = max(c.LogLevel, slog.LevelWarn)
			at, err := app.StartDatabase(cmd.Context(), c, app.NewLogger(w.Stderr, c))
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, at.Stop(cmd.Context())) }()
			before, err := migrations.Version(cmd.Context(), at.Owner)
			if err != nil {
				return err
			}
			if _, err := at.Migrate(cmd.Context()); err != nil {
				return err
			}
			all, err := migrations.List(cmd.Context(), at.Owner)
			if err != nil {
				return err
			}
			for _, m := range all {
				state := "applied"
				if m.Number <= before {
					state = "was there"
				}
				fmt.Fprintf(w.Stdout, "%-9s  %s\n", state, m.Name)
			}
			s, err := app.OpenLog(cmd.Context(), c, app.NewLogger(w.Stderr, c), c.Now)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, s.Close(cmd.Context())) }()
			fresh, err := s.Builder.Deploy(cmd.Context(), projections.All()...)
			for _, name := range fresh {
				fmt.Fprintf(w.Stdout, "%-9s  read model %s\n", "made", name)
			}
			if err != nil || role == "" {
				return err
			}
			missing, err := migrations.Grant(cmd.Context(), at.Owner, role)
			if err != nil {
				return fmt.Errorf("--grant: %w", err)
			}
			fmt.Fprintf(w.Stdout, "%-9s  the rights of serving to %s\n", "granted", role)
			for _, statement := range missing {
				fmt.Fprintf(w.Stdout, "%-9s  %s; (as a superuser)\n", "missing", statement)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&role, "grant", "", "give this database role the rights of serving: it reads, appends and folds, and cannot change events")
	return cmd
}
