package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/cli/operator"
	"shop/cmd/shop/terminal"
	"shop/domain"
)

// Run carries out one command line, of the commands here or of others, and returns the process's exit status.
func Run(ctx context.Context, args []string, w terminal.World, others ...*cobra.Command) int {
	root := newRoot(w)
	root.AddCommand(others...)
	root.SetArgs(args)
	// Whatever fails before the command itself runs (unknown names, flags, arguments) is misuse.
	running := false
	root.PersistentPreRun = func(*cobra.Command, []string) { running = true }
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return terminal.Done
	}
	fmt.Fprintln(w.Stderr, "shop:", terminal.OneLine(reason(err)))
	var usage terminal.UsageError
	if !running || errors.As(err, &usage) {
		fmt.Fprintf(w.Stderr, "Run '%s --help' for usage.\n", cmd.CommandPath())
		return terminal.Misuse
	}
	return terminal.Failed
}

// reason says an error in one line. A rule's refusal says it best itself.
func reason(err error) string {
	var refusal *domain.Refusal
	if errors.As(err, &refusal) {
		return fmt.Sprintf("refused: %s (%s)", refusal.Message, refusal.Code)
	}
	return strings.ReplaceAll(strings.TrimSpace(err.Error()), "\n", "; ")
}

// flagError says what a flag wants in place of how Go's parser says it.
func flagError(err error) error {
	var parsing *strconv.NumError
	if !errors.As(err, &parsing) {
		return err
	}
	want := "want a whole number"
	switch {
	case parsing.Func == "ParseBool":
		want = "want true or false"
	case errors.Is(err, strconv.ErrRange):
		want = "the number is too large"
	}
	return errors.New(strings.TrimSuffix(err.Error(), parsing.Error()) + want)
}

func newRoot(w terminal.World) *cobra.Command {
	root := &cobra.Command{
		Use:           "shop",
		Short:         "An online shop whose memory is a log of events",
		Long:          "An online shop whose memory is a log of events. Exit status: 0 done, 1 refused or failed (a line on stderr says why), 2 wrong usage.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       app.Version(),
		Args:          cobra.NoArgs,
		RunE:          command.WantSubcommand,
	}
	root.SetOut(w.Stdout)
	root.SetErr(w.Stderr)
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return flagError(err) })
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(
		demoCommand(w), catalogCommand(w), stockCommand(w), ordersCommand(w), reviewsCommand(w), customersCommand(w),
		promocodesCommand(w), postsCommand(w), contentCommand(w), rulesCommand(w), settingsCommand(w), changesCommand(w), searchCommand(w), mailsCommand(w), staffCommand(w), versionCommand(w),
	)
	root.AddCommand(operator.Commands(w)...)
	return root
}

func versionCommand(w terminal.World) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the program's version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(w.Stdout, "shop", app.Version())
			return err
		},
	}
}
