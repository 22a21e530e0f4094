package operator

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/terminal"
	"shop/commands/photos"
)

func blobsCommand(w terminal.World) *cobra.Command {
	return command.Group("blobs", "Move photos to another place", blobsMove(w))
}

func blobsMove(w terminal.World) *cobra.Command {
	var from, to string
	cmd := &cobra.Command{
		Use: "move", Short: "Copy all photos to another place", Args: cobra.NoArgs,
		Long: "Copy all photos to another place, compare each with what was read, and put the shop's mark there. Nothing is deleted. A second\n" +
			"run copies what is missing: run it once while the shop is open, set SHOP_BLOBS and restart, and run it again with --from for\n" +
			"what came in between.",
		Example: "  shop blobs move --to 's3://dala/photos?endpoint=https://s3.eu-central-1.amazonaws.com'\n  shop blobs move --from folder --to \"$SHOP_BLOBS\"",
	}
	cmd.Flags().StringVar(&from, "from", "", "where they are, as in SHOP_BLOBS; default: SHOP_BLOBS")
	cmd.Flags().StringVar(&to, "to", "", "where they are to be, as in SHOP_BLOBS")
	_ = cmd.MarkFlagRequired("to")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := app.ReadConfig(w.Getenv)
		if err != nil {
			return err
		}
		return moveBlobs(cmd.Context(), w, c, from, to)
	}
	return cmd
}

func moveBlobs(ctx context.Context, w terminal.World, c app.Config, from, to string) error {
	source := c.Blobs()
	var err error
	if from != "" {
		if source, err = c.BlobsAt(from); err != nil {
			return fmt.Errorf("--from: %w", err)
		}
	}
	target, err := c.BlobsAt(to)
	if err != nil {
		return fmt.Errorf("--to: %w", err)
	}
	if source.String() == target.String() {
		return fmt.Errorf("the photos are in %s already", target)
	}
	show := terminal.NewProgress(w.Stderr)
	defer show.Clear()
	moved, err := photos.Move(ctx, source, target, func(m photos.Moved) { show.Say("%d files copied, %d were there", m.Copied, m.Known) })
	if err != nil {
		return err
	}
	show.Clear()
	fmt.Fprintf(w.Stdout, "%d files (%d bytes) copied to %s, %d were there already\n", moved.Copied, moved.Bytes, target, moved.Known)
	return nil
}
