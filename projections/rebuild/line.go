package rebuild

import (
	"fmt"
	"strings"
	"time"
)

// Line says in a line how a build is.
func (b Build) Line() string {
	line := fmt.Sprintf("%s: build %d %s", b.Projection, b.ID, b.State)
	if b.State == Running || b.State == Swapping {
		line = fmt.Sprintf("%s: %s", b.Projection, b.Phase)
	}
	if b.Phase == Folding {
		const width = 20
		full := int(b.Progress * width)
		line += fmt.Sprintf(" [%s%s] %.0f %%, %d events, %.0f a second", strings.Repeat("#", full), strings.Repeat(".", width-full), 100*b.Progress, b.Events, b.Rate)
		if b.ETA >= 0 && b.State == Running {
			line += ", " + b.ETA.Round(time.Second).String() + " to go"
		}
	}
	return line
}

// Line says in a line what a comparison found; nil: there was none.
func (r *Report) Line() string {
	switch {
	case r == nil:
		return "not compared"
	case r.Equal():
		return fmt.Sprintf("equal, %d rows at position %d", r.Compared, r.Position)
	}
	return fmt.Sprintf("different, %d of %d rows at position %d: %d missing, %d extra, %d changed",
		r.Missing+r.Extra+r.Changed, r.Compared, r.Position, r.Missing, r.Extra, r.Changed)
}
