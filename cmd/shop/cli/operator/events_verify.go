package operator

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/terminal"
)

func eventsVerify(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "verify", Short: "Compare the log with its daily anchors", Args: cobra.NoArgs,
		Long: "Compute the hash of the log up to each of its anchors again. A log that somebody changed in the database is refused with the\n" +
			"first day that does not fit. The shop may stay open, persons may have been erased. The newest events, since the last anchor,\n" +
			"are not covered; and who cut the log off at its end is found only by who kept the last line of this command.",
	}
	others := cmd.Flags().Bool("others", false, "accept anchors that another shop signed, or this one before its secrets were lost: compare their hashes alone")
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, _ *cobra.Command, _ []string) error {
		log, err := s.Anchors(ctx)
		if err != nil {
			return err
		}
		log.Others = *others
		show := terminal.NewProgress(w.Stderr)
		defer show.Clear()
		seen, err := log.Verify(ctx, func(events int64) { show.Say("%d events", events) })
		show.Clear()
		if err != nil {
			return err
		}
		if seen.Others > 0 {
			fmt.Fprintf(w.Stderr, "note: %d anchors are signed with a key that this shop does not have\n", seen.Others)
		}
		if seen.Anchors == 0 {
			_, err = fmt.Fprintln(w.Stdout, "the log has no anchors yet: 'shop serve' makes one a day")
			return err
		}
		_, err = fmt.Fprintf(w.Stdout, "%d anchors and %d events fit; the last anchor is of %s, up to position %d, hash %s\n",
			seen.Anchors, seen.Events, seen.At.UTC().Format(time.DateOnly), seen.UpTo, seen.Hash)
		return err
	})
	return cmd
}
