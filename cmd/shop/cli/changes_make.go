package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/terminal"
	"shop/commands/changes"
)

func changesMake(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "make THING ID FIELD VALUE", Short: "Change a field of the shop, now, at a time or for a while", Args: cobra.ExactArgs(4),
		Long: "Change a field of a product, stock, category, brand, mark, content, promocode, post, rules, settings or replies. VALUE is JSON; what is\n" +
			"no JSON is a text. The change is listed and undone as those of the office, and waits for a second person where the rules say so.",
		Example: "  shop changes make product 0199a6f2-7a31-7c0e-9e51-1b2c3d4e5f60 discount 10 --at 2026-11-20T09:00 --until 2026-11-24 --reason \"Black Friday\"\n" +
			"  shop changes make rules rules new_days 14 --dry-run",
	}
	how := howFlags(cmd)
	title := cmd.Flags().String("title", "", "what lists call the change")
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, args []string) error {
		if err := how.catchUp(ctx, s, w); err != nil {
			return err
		}
		do := s.Changes.Propose
		if *how.dryRun {
			do = s.Changes.DryRun
		}
		answer, err := do(ctx, how.proposal(*title, changes.Asked{Thing: args[0], ID: args[1], Field: args[2], Now: valueOf(args[3])}))
		if err := printOutcomes(w, answer.Rows, err); err != nil || *how.dryRun {
			return err
		}
		_, err = fmt.Fprintf(w.Stdout, "%s: %s\n", answer.ID, answer.Status)
		return err
	})
	return cmd
}

// valueOf is JSON, or the text that is none.
func valueOf(text string) json.RawMessage {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	quoted, _ := json.Marshal(text) // a string always can be
	return quoted
}
