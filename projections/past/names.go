package past

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"shop/projections"
)

// source is a table of a read model.
type source struct {
	model projections.Projection
	table projections.AnyTable
}

// book finds the tables of all read models in statements.
type book struct {
	of map[string]source
	// named finds their names, such as catalog.product.
	named *regexp.Regexp
}

// bookOf is that of some read models.
func bookOf(models []projections.Projection) book {
	b := book{of: map[string]source{}}
	for _, m := range models {
		for _, t := range m.Tables {
			b.of[m.Name+"."+t.Definition().Name] = source{m, t}
		}
	}
	names := slices.Sorted(maps.Keys(b.of))
	for i, name := range names {
		names[i] = regexp.QuoteMeta(name)
	}
	b.named = regexp.MustCompile(`\b(` + strings.Join(names, "|") + `)\b`)
	return b
}

// in are the tables that a statement names, each once.
func (b book) in(sql string) []string {
	names := b.named.FindAllString(sql, -1)
	slices.Sort(names)
	return slices.Compact(names)
}

// then is a statement that asks the folded tables.
func (b book) then(sql string) string { return b.named.ReplaceAllString(sql, temporary+`."$1"`) }

// temporary is the schema of temporary tables, each connection's own.
const temporary = "pg_temp"
