package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"shop/commands"
	"shop/domain"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := run(ctx, os.Args[1:], world{getenv: os.Getenv, stdout: os.Stdout, stderr: os.Stderr})
	stop()
	os.Exit(status)
}

// world is what the program sees of the machine; tests give it another.
type world struct {
	getenv         func(string) string
	stdout, stderr io.Writer
}

// Exit statuses.
const (
	done   = 0
	failed = 1
	misuse = 2
)

// usageError is a command line that makes no sense, as opposed to one that cannot be carried out.
type usageError struct{ error }

// run carries out one command line and says how it went.
func run(ctx context.Context, args []string, w world) int {
	root := newRoot(w)
	root.SetArgs(args)
	// Whatever fails before the command itself runs (unknown names, flags, arguments) is misuse.
	running := false
	root.PersistentPreRun = func(*cobra.Command, []string) { running = true }
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return done
	}
	fmt.Fprintln(w.stderr, "shop:", oneLine(reason(err)))
	var usage usageError
	if !running || errors.As(err, &usage) {
		fmt.Fprintf(w.stderr, "Run '%s --help' for usage.\n", cmd.CommandPath())
		return misuse
	}
	return failed
}

// reason says an error in one line. A rule's refusal says it best itself.
func reason(err error) string {
	var (
		refusal *domain.Refusal
		refused *commands.Refused
	)
	switch {
	case errors.As(err, &refusal):
		return fmt.Sprintf("refused: %s (%s)", refusal.Message, refusal.Code)
	case errors.As(err, &refused):
		return "refused: " + refused.Detail
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

func newRoot(w world) *cobra.Command {
	root := &cobra.Command{
		Use:           "shop",
		Short:         "An online shop whose memory is a log of events",
		Long:          "An online shop whose memory is a log of events. Exit status: 0 done, 1 refused or failed (a line on stderr says why), 2 wrong usage.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version(),
		Args:          cobra.NoArgs,
		RunE:          wantSubcommand,
	}
	root.SetOut(w.stdout)
	root.SetErr(w.stderr)
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return flagError(err) })
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(
		serveCommand(w), migrateCommand(w), demoCommand(w), catalogCommand(w), stockCommand(w), ordersCommand(w), replayCommand(w), reportsCommand(w), reviewsCommand(w), customersCommand(w),
		promocodesCommand(w), postsCommand(w), contentCommand(w), rulesCommand(w), eventsCommand(w), exportCommand(w), projectionsCommand(w), deadlettersCommand(w), mailsCommand(w), staffCommand(w), healthCommand(w), versionCommand(w),
	)
	return root
}

// group is a command that only has subcommands.
func group(use, short string, subcommands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Args: cobra.ArbitraryArgs, RunE: wantSubcommand}
	cmd.AddCommand(subcommands...)
	return cmd
}

func wantSubcommand(cmd *cobra.Command, args []string) error {
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" {
			names = append(names, sub.Name())
		}
	}
	want := "want " + strings.Join(names, ", ")
	if len(args) > 0 {
		return usageError{fmt.Errorf("unknown command %q of %s; %s", args[0], cmd.CommandPath(), want)}
	}
	return usageError{fmt.Errorf("%s does nothing by itself; %s", cmd.CommandPath(), want)}
}

// formatFlag adds --format table|json to a list.
func formatFlag(cmd *cobra.Command) *string {
	format := formatValue("table")
	cmd.Flags().Var(&format, "format", "table or json")
	return (*string)(&format)
}

type formatValue string

func (f *formatValue) String() string { return string(*f) }
func (f *formatValue) Type() string   { return "format" }
func (f *formatValue) Set(v string) error {
	if err := oneOf(v, "table", "json"); err != nil {
		return err
	}
	*f = formatValue(v)
	return nil
}

func versionCommand(w world) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the program's version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(w.stdout, "shop", version())
			return err
		},
	}
}

// release is set by the linker (-X main.release=…); without it the commit the program was built from is told.
var release string

func version() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return s.Value[:12]
		}
	}
	return "development"
}
