package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/terminal"
)

func serveCommand(w terminal.World) *cobra.Command {
	var help strings.Builder
	app.WriteSettings(&help)
	var withDemo bool
	var only app.Roles
	var region string
	cmd := &cobra.Command{
		Use: "serve", Short: "Serve the shop", Args: cobra.NoArgs,
		Long: "Start the embedded database or connect to SHOP_DATABASE_URL, apply migrations, run the projections and serve\n" +
			"the storefront and its API until SIGINT or SIGTERM.\n\n" +
			"Any number of processes may work on one database, each with all roles or with some: web serves pages and the API,\n" +
			"projectors fold events into read models, policies act on events and deadlines, relay publishes the log to NATS JetStream (not by default). They share the work by leases; when one\n" +
			"dies, others take over its work within two seconds. Without the role web only /healthz and /readyz are served at SHOP_ADDR.\n\nEnvironment, with defaults:\n" + help.String(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := app.ReadConfig(w.Getenv)
			if len(only) > 0 {
				c.Roles = only
			}
			if region != "" {
				c.Region.Name = region
			}
			if c.Region.Name != "" && len(only) == 0 && !c.Stated("SHOP_ROLES") {
				c.Roles = app.Roles{app.RoleWeb, app.RoleProjectors}
			}
			if c.Region.Name != "" && withDemo {
				err = errors.Join(err, errors.New("--demo is for the home region"))
			}
			if err := errors.Join(err, c.Demands()); err != nil {
				return err
			}
			return serve(cmd.Context(), w, c, withDemo)
		},
	}
	cmd.Flags().BoolVar(&withDemo, "demo", false, "load the demo catalog and its past into an empty log")
	cmd.Flags().StringVar(&region, "region", "", "name of the region that this process serves from a copy of the log (default SHOP_REGION)")
	cmd.Flags().Var(&only, "roles", "roles of this process, separated by commas: web, projectors, policies, relay (default SHOP_ROLES)")
	return cmd
}
