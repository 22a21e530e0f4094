package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/demo"
	"shop/cmd/shop/terminal"
)

func demoCommand(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{Use: "demo", Short: "Load the demo catalog and a year of orders into an empty log", Args: cobra.NoArgs}
	orders := cmd.Flags().Int("orders", demo.Orders, "orders of the year; 0: the catalog alone")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if *orders < 0 || *orders > demo.MaxDemoOrders {
			return terminal.Usage(fmt.Errorf("--orders: want a number from 0 to %d", demo.MaxDemoOrders))
		}
		return nil
	}
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, _ []string) error {
		empty, err := demo.IsEmpty(ctx, s)
		if err != nil {
			return err
		}
		if !empty {
			return errors.New("the log is not empty: the demo would mix with what is there")
		}
		return demo.LoadDemo(ctx, s, w, *orders)
	})
	cmd.AddCommand(demoCode(w))
	return cmd
}

func demoCode(w terminal.World) *cobra.Command {
	return &cobra.Command{
		Use: "code", Short: "Print the code that an authenticator of the demo's staff shows now", Args: cobra.NoArgs,
		Long: "Print the code that the demo's staff sign in with, in place of an authenticator. 'shop serve --demo' makes these accounts and\n" +
			"prints their password.",
		RunE: command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, _ []string) error {
			access, err := demo.AccessOf(ctx, s)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(w.Stdout, access.Code(s.Clock()))
			return err
		}),
	}
}
