package command

import (
	"errors"

	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/terminal"
)

// FormatFlag adds --format table|json to a list.
func FormatFlag(cmd *cobra.Command) *string {
	format := formatValue("table")
	cmd.Flags().Var(&format, "format", "table or json")
	return (*string)(&format)
}

type formatValue string

func CheckLimit(limit int) error {
	if limit < 1 {
		return terminal.Usage(errors.New("--limit begins at 1"))
	}
	return nil
}

func CheckPage(limit, offset int) error {
	if offset < 0 {
		return terminal.Usage(errors.New("--offset begins at 0"))
	}
	return CheckLimit(limit)
}

// PageFlags adds --limit and --offset to a list.
func PageFlags(cmd *cobra.Command, fallback int) (limit, offset *int) {
	limit = cmd.Flags().Int("limit", fallback, "the most rows to list")
	offset = cmd.Flags().Int("offset", 0, "rows to skip")
	return limit, offset
}

func YesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// DryRunFlag adds --dry-run to a command that writes.
func DryRunFlag(cmd *cobra.Command) *bool {
	return cmd.Flags().Bool("dry-run", false, "print what would change and write nothing")
}

// outcome says what became of something: done, would be done, or so already.
func Outcome(done string, changed, dryRun bool) string {
	switch {
	case !changed:
		return "is so already"
	case dryRun:
		return "would be " + done
	}
	return done
}

// AtFlag adds --at to what can be shown as it was at a moment; the zero time is now.
func AtFlag(cmd *cobra.Command) *terminal.MomentValue {
	var at terminal.MomentValue
	cmd.Flags().Var(&at, "at", "the state at a moment, such as 2026-03-02T12:00:00+05:00, or in Almaty 2026-03-02T12:00 or 2026-03-02 (its end)")
	return &at
}

func (f *formatValue) String() string { return string(*f) }

func (f *formatValue) Type() string { return "format" }

func (f *formatValue) Set(v string) error {
	if err := app.OneOf(v, "table", "json"); err != nil {
		return err
	}
	*f = formatValue(v)
	return nil
}
