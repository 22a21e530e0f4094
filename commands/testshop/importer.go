package testshop

import (
	"fmt"
	"strings"

	"shop/commands"
	"shop/commands/importer"
	"shop/commands/importer/catalogfile"
	"shop/domain/catalog"
)

// Imported is an import into a test's shop, with what it told.
type Imported struct {
	importer.Report
	Left, Told []string
	Err        error
}

func (s *Shop) Import(file string, o importer.Options) Imported {
	s.T.Helper()
	reader, err := catalogfile.Open(strings.NewReader(file), "test", catalogfile.Options{})
	if err != nil {
		s.T.Fatalf("open file: %v", err)
	}
	var i Imported
	o.Refused = func(bad *catalogfile.RowError) { i.Left = append(i.Left, bad.Error()) }
	o.Changed = func(c importer.Changed) {
		i.Told = append(i.Told, fmt.Sprintf("%d %s %v: %s", c.Line, c.Article, c.New, strings.Join(c.What, ", ")))
	}
	i.Report, i.Err = (&importer.Catalog{Handler: s.Handler, Log: s.Log}).Import(s.T.Context(), reader, o)
	return i
}

// MustImport imports a file in which nothing is wrong.
func (s *Shop) MustImport(file string, o importer.Options) Imported {
	s.T.Helper()
	i := s.Import(file, o)
	if i.Err != nil || i.Refused > 0 {
		s.T.Fatalf("import: %v %v", i.Err, i.Left)
	}
	return i
}

func (s *Shop) ProductOf(article string) catalog.ProductState {
	s.T.Helper()
	state, err := commands.See(s.T.Context(), commands.New(s.Log, commands.Options{}), commands.ProductStream(importer.ProductID(article)))
	if err != nil {
		s.T.Fatalf("see product: %v", err)
	}
	return state
}
