package operator

import (
	"github.com/spf13/cobra"

	"shop/cmd/shop/terminal"
	"shop/eventstore/registry"
)

// eventsSchema needs no database: the events are the program's.
func eventsSchema(w terminal.World) *cobra.Command {
	return &cobra.Command{
		Use: "schema [TYPE]", Short: "Print the JSON Schema of the payload of one type of events, or of all", Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return registry.New().WriteSchemas(w.Stdout, args...) },
	}
}
