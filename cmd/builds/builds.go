package builds

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Edit replaces what a file says: once, unless it is there several times.
type Edit struct {
	file, old, by string
	times         int
}

// Newer makes the newer build of this source: new schemas of known events, a new event type, a changed read model, a changed policy.
// The edits reach no other build: they are an overlay of one.
var Newer = []Edit{
	{file: "domain/stock/events.go", old: "func (Received) EventType() string ", by: `// Tallied says that pieces were reserved.
type Tallied struct {
	ProductID domain.ID ` + "`json:\"product_id\"`" + `
	At        time.Time ` + "`json:\"at\"`" + `
}

func (Tallied) EventType() string { return "stock.tallied" }
func (Tallied) isEvent()          {}

func (Received) EventType() string `},
	{file: "domain/stock/decider.go", old: "	after := evolve(before, movement)\n", by: `	if r, ok := movement.(Reserved); ok && r.Cause.Ref != "" {
		r.Cause.Ref = ""
		events := moved(before, r, at)
		events[0] = movement
		return append(events, Tallied{ProductID: before.ProductID, At: at})
	}
	after := evolve(before, movement)
`},
	{file: "eventstore/registry/shop.go", old: "	return r\n}", by: `	register[stock.Tallied](r)
	for _, name := range []string{"stock.reserved", "order.placed"} {
		r.Upcast(name, r.Schema(name), same)
	}
	return r
}`},
	{file: "projections/stock.go", old: `Name: "stock", Tables`, by: `Name: "stock", Version: 1, Tables`},
	{file: "projections/stock.go", old: "	UpdatedAt time.Time `json:\"updated_at\"`\n", by: "	UpdatedAt time.Time `json:\"updated_at\"`\n	Tallied   int64     `json:\"tallied\"`\n"},
	{file: "projections/stock.go", old: "stock.Shipped{}},", by: "stock.Shipped{}, stock.Tallied{}},"},
	{file: "projections/stock.go", old: "		switch e := event.Data.(type) {\n", by: `		switch e := event.Data.(type) {
		case stock.Tallied:
			l.Tallied++
`},
	{file: "projections/stock.go", old: "e.Reserved, e.At}", by: "e.Reserved, e.At, l.Tallied}", times: 5},
	{file: "commands/policies/revisions.go", old: "var revisions = map[string]int{", by: "var revisions = map[string]int{\n	\"mails\": 1000,"},
	{file: "commands/policies/revisions.go", old: "	\"mails\":          2,\n", by: ""},
	{file: "commands/policies/mails.go", old: "			order.Placed{}.EventType(), order.PaymentFailed", by: "			\"stock.tallied\", order.Placed{}.EventType(), order.PaymentFailed"},
}

// Deaf makes a build that takes what a newer one wrote for broken.
var Deaf = []Edit{
	{file: "eventstore/registry/registry.go", old: "func (e *UnknownType) Is(target error) bool { return target == eventstore.ErrNewer }", by: "func (e *UnknownType) Is(target error) bool { return false }"},
	{file: "eventstore/registry/registry.go", old: "	return target == eventstore.ErrNewer && e.Schema > e.Newest", by: "	return false && target == eventstore.ErrNewer"},
}

// Make builds the shop from this module's source with edits, into a file.
func Make(ctx context.Context, to string, edits []Edit) error {
	at, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return fmt.Errorf("find the source: %w", err)
	}
	root, folder := strings.TrimSpace(string(at)), to+".overlay"
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	replace, text := map[string]string{}, map[string]string{}
	for _, e := range edits {
		if _, begun := text[e.file]; !begun {
			original, err := os.ReadFile(filepath.Join(root, e.file))
			if err != nil {
				return err
			}
			text[e.file] = string(original)
		}
		if n, want := strings.Count(text[e.file], e.old), max(1, e.times); n != want {
			return fmt.Errorf("edit %s: %q is there %d times, want %d", e.file, e.old, n, want)
		}
		text[e.file] = strings.ReplaceAll(text[e.file], e.old, e.by)
	}
	for file, edited := range text {
		replacement := filepath.Join(folder, strings.ReplaceAll(file, "/", "_"))
		if err := os.WriteFile(replacement, []byte(edited), 0o644); err != nil {
			return err
		}
		replace[filepath.Join(root, file)] = replacement
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	file := filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o644); err != nil {
		return err
	}
	if said, err := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-overlay", file, "-o", to, "shop/cmd/shop").CombinedOutput(); err != nil {
		return fmt.Errorf("build a shop with edits: %w: %s", err, said)
	}
	return nil
}
