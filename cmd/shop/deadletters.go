package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

func deadlettersCommand(w world) *cobra.Command {
	return group("deadletters", "Look at events a projection could not handle")
}

var _ = context.Background
var _ = fmt.Errorf
