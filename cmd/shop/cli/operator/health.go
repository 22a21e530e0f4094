package operator

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/terminal"
)

// healthCommand asks a running shop whether it is ready, for containers that hold nothing else to ask with.
func healthCommand(w terminal.World) *cobra.Command {
	return &cobra.Command{
		Use: "health", Short: "Check whether the shop at SHOP_ADDR is ready", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := app.ReadConfig(w.Getenv)
			if err != nil {
				return err
			}
			host, port, err := net.SplitHostPort(c.Addr)
			if err != nil {
				return err
			}
			if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
				host = "127.0.0.1"
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), 5*time.Second)
			defer cancel()
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/readyz", nil)
			if err != nil {
				return err
			}
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				return err
			}
			defer response.Body.Close()
			if response.StatusCode != http.StatusOK {
				return errors.New("the shop is not ready")
			}
			_, err = fmt.Fprintln(w.Stdout, "ready")
			return err
		},
	}
}
