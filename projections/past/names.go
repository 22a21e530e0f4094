package past

import (
	"maps"
	"slices"

	"shop/projections"
	"shop/projections/standin"
)

// source is a table of a read model.
type source struct {
	model projections.Projection
	table projections.AnyTable
}

// book finds the tables of all read models in statements.
type book struct {
	standin.Names
	of map[string]source
}

// bookOf is that of some read models.
func bookOf(models []projections.Projection) book {
	of := map[string]source{}
	for _, m := range models {
		for _, t := range m.Tables {
			of[m.Name+"."+t.Definition().Name] = source{m, t}
		}
	}
	return book{standin.Of(slices.Collect(maps.Keys(of))), of}
}
