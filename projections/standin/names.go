package standin

import (
	"regexp"
	"slices"
	"strings"
)

// Schema is that of temporary tables, each connection's own.
const Schema = "pg_temp"

// Names are the tables that have stand-ins, such as catalog.product. A stand-in has the whole name as its own, in Schema. The zero value has none.
type Names struct{ found *regexp.Regexp }

// Of are the names of some tables.
func Of(tables []string) Names {
	if len(tables) == 0 {
		return Names{}
	}
	quoted := make([]string, len(tables))
	for i, name := range slices.Sorted(slices.Values(tables)) {
		quoted[i] = regexp.QuoteMeta(name)
	}
	return Names{regexp.MustCompile(`\b(` + strings.Join(quoted, "|") + `)\b`)}
}

// In are those of the tables that a statement names, each once.
func (n Names) In(sql string) []string {
	if n.found == nil {
		return nil
	}
	names := n.found.FindAllString(sql, -1)
	slices.Sort(names)
	return slices.Compact(names)
}

// Asked is a statement that asks the stand-ins.
func (n Names) Asked(sql string) string {
	if n.found == nil {
		return sql
	}
	return n.found.ReplaceAllString(sql, Schema+`."$1"`)
}
