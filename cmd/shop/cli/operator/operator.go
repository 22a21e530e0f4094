package operator

import (
	"github.com/spf13/cobra"

	"shop/cmd/shop/terminal"
)

// Commands are the commands of operators and analysts.
func Commands(w terminal.World) []*cobra.Command {
	return []*cobra.Command{
		migrateCommand(w), replayCommand(w), reportsCommand(w), eventsCommand(w), exportCommand(w), projectionsCommand(w),
		deadlettersCommand(w), securityCommand(w), keysCommand(w), backupCommand(w), restoreCommand(w), blobsCommand(w), healthCommand(w),
	}
}
