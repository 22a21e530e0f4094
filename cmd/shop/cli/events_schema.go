package cli

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"shop/cmd/shop/terminal"
	"shop/eventstore/registry"
)

// eventsSchema needs no database: the events are the program's.
func eventsSchema(w terminal.World) *cobra.Command {
	return &cobra.Command{
		Use: "schema [TYPE]", Short: "Print the JSON Schema of the payload of one type of events, or of all", Args: cobra.MaximumNArgs(1),
		Example: "  shop events schema order.placed\n  shop events schema > events.schema.json",
		RunE: func(_ *cobra.Command, args []string) error {
			known := registry.New()
			document := map[string]any{}
			if len(args) == 1 {
				if document = known.Describe(args[0]); document == nil {
					return terminal.Usage(fmt.Errorf("there is no event type %q", args[0]))
				}
			} else {
				types := map[string]any{}
				for _, name := range known.Names() {
					types[name] = known.Describe(name)
				}
				document["title"], document["$defs"] = "Events of the shop by type", types
			}
			document["$schema"] = registry.Draft
			encoder := json.NewEncoder(w.Stdout)
			encoder.SetEscapeHTML(false)
			encoder.SetIndent("", "  ")
			return encoder.Encode(document)
		},
	}
}
