package command

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"shop/cmd/shop/terminal"
)

// group is a command that only has subcommands.
func Group(use, short string, subcommands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Args: cobra.ArbitraryArgs, RunE: WantSubcommand}
	cmd.AddCommand(subcommands...)
	return cmd
}

func WantSubcommand(cmd *cobra.Command, args []string) error {
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" {
			names = append(names, sub.Name())
		}
	}
	want := "want " + strings.Join(names, ", ")
	if len(args) > 0 {
		return terminal.Usage(fmt.Errorf("unknown command %q of %s; %s", args[0], cmd.CommandPath(), want))
	}
	return terminal.Usage(fmt.Errorf("%s does nothing by itself; %s", cmd.CommandPath(), want))
}
