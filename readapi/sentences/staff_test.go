package sentences

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// tell are the functions that are given what staff read, and the types that hold it.
var tell = map[string]bool{
	"Refuse": true, "With": true, "WrongField": true, "refuse": true, "refused": true, "unusable": true,
	"RowError": true, "FieldErrors": true, "StaffRefusal": true, "StatusRefusal": true, "Unbuildable": true,
}

// said are the sentences of the source files of folders, by their place: what tell is given, and whole English sentences wherever they stand.
// {} stands for what is filled in.
func said(t *testing.T, every bool, folders ...string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, folder := range folders {
		err := filepath.WalkDir("../../"+folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, path, nil, 0)
			if err != nil {
				return err
			}
			keep := func(n ast.Node) {
				if text := textOf(n); sentence.MatchString(text) {
					found[text] = files.Position(n.Pos()).String()
				}
			}
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.ImportSpec:
					return false
				case *ast.ValueSpec: // constants such as StaffBusy
					if strings.HasPrefix(strings.ToLower(n.Names[0].Name), "staff") && len(n.Values) == 1 {
						keep(n.Values[0])
					}
				case *ast.CallExpr:
					if every || !tell[nameOf(n.Fun)] {
						break
					}
					for _, arg := range n.Args {
						keep(arg)
					}
				case *ast.CompositeLit:
					if every || !tell[nameOf(n.Type)] {
						break
					}
					for _, value := range n.Elts {
						if pair, ok := value.(*ast.KeyValueExpr); ok {
							value = pair.Value
						}
						if list, ok := value.(*ast.CompositeLit); ok && len(list.Elts) > 0 {
							value = list.Elts[0]
						}
						keep(value)
					}
				}
				if value, ok := n.(ast.Expr); ok && (every && textOf(n) != "" || whole.MatchString(textOf(n))) {
					keep(value)
					return false
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// sentence is a text of several words.
var sentence = regexp.MustCompile(`\pL+.* \pL`)

// whole is an English sentence from its first letter to its stop.
var whole = regexp.MustCompile(`^[A-Z][^.]* [^.]*.*\pL.*\.$`)

var verb = regexp.MustCompile(`%[a-z<]`)

// textOf is what an expression says: a literal, a format or the sum of such.
func textOf(n ast.Node) string {
	switch n := n.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(n.Value)
		if err != nil || n.Kind != token.STRING {
			return ""
		}
		return text
	case *ast.BinaryExpr:
		left, right := textOf(n.X), textOf(n.Y)
		if left+right == "" {
			return ""
		}
		if left == "" {
			left = "{}"
		}
		if right == "" {
			right = "{}"
		}
		return left + right
	case *ast.CallExpr:
		if name := nameOf(n.Fun); (name == "Sprintf" || name == "Errorf") && len(n.Args) > 0 {
			text := strings.ReplaceAll(textOf(n.Args[0]), "%q", `"{}"`)
			return verb.ReplaceAllString(text, "{}")
		}
		if nameOf(n.Fun) == "New" && len(n.Args) == 1 {
			return textOf(n.Args[0])
		}
	}
	return ""
}

func nameOf(n ast.Expr) string {
	switch n := n.(type) {
	case *ast.Ident:
		return n.Name
	case *ast.SelectorExpr:
		return n.Sel.Name
	}
	return ""
}

// notForStaff are files whose refusals no page of staff shows: what the command line reads, and what a client of our own never meets.
var notForStaff = regexp.MustCompile(`/importer/(orders|staging)\.go|/importer/(orderfile|pagefile)/|/commands/(shopapi|frozen)|/identity/passkeys`)

// inThePage are what the server says by a name of its own or in English alone, and pages of staff put into words: assumptions of trials, notes of
// reports and why no event takes an event back.
var inThePage = regexp.MustCompile(`/replay/try\.go|/reports/(customers|discounts|funnel|goods|orders|report)\.go|/changes/inverses\.go`)

// never are refusals that no page of staff can cause.
var never = []string{
	"Build {} cannot {}: it is {}.", "Build {} is not finished, wait for it or cancel it: it is {}.", // cmd/shop/ops: TestBuildsAreRefusedInTheLanguagesOfStaff
	"A guest's order joins a customer.", "An imported order has no such status.", "An imported order names its shop, its number there and no rules of ours.",
	"Bonuses to spend must be 1 or more.", "Зайдите в аккаунт, чтобы подписаться на обновление товара",
}

// noSentences are texts of the readers of catalog files that are no reasons: names of columns, and what only wraps an error.
var noSentences = regexp.MustCompile(`/catalogfile/(columns|write)\.go|write a row of a sheet|read the beginning of the file|read line \{\}|catalog file \{\}|columns ignored|нет в наличии|в наличии`)

func TestEveryRefusalForStaffIsInTheirLanguages(t *testing.T) {
	t.Parallel()
	all := said(t, false, "domain", "commands", "readapi", "cmd/shop/edge", "cmd/shop/ops", "projections/rebuild", "projections/replay")
	maps.Copy(all, said(t, true, "commands/importer/catalogfile", "commands/importer/sheetfile"))
	seen := 0
	for text, place := range all {
		if notForStaff.MatchString(place) || slices.Contains(never, text) || noSentences.MatchString(place+" "+text) || inThePage.MatchString(place) {
			continue
		}
		seen++
		if strings.Contains(place, "/catalogfile/encoding.go") && strings.HasPrefix(text, "a") {
			text = "this is " + text
		}
		sample := strings.ReplaceAll(text, "{}", "7")
		english, inRussian, inKazakh := ForStaff("en", sample), ForStaff("ru", sample), ForStaff("kk", sample)
		if cyrillic.MatchString(english) || !cyrillic.MatchString(inRussian) || !cyrillic.MatchString(inKazakh) || inRussian == inKazakh {
			t.Errorf("%s: %q is %q, %q, %q", strings.TrimPrefix(place, "../../"), text, english, inRussian, inKazakh)
		}
	}
	if seen < 300 {
		t.Errorf("%d sentences were found", seen)
	}
}

var cyrillic = regexp.MustCompile(`[а-яё]`)

func TestSentencesForStaffHaveThreeLanguages(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for line := range strings.Lines(staffText) {
		said := strings.Split(strings.TrimSpace(line), "|")
		if len(said) != 3 {
			t.Errorf("the line %q", line)
			continue
		}
		if known[said[0]] {
			t.Errorf("%q is there twice", said[0])
		}
		known[said[0]] = true
		if said[2] == "" {
			said[2] = InKazakh(said[1])
		}
		facts := strings.Count(said[0], "{}")
		for at, text := range said {
			if strings.Count(text, "{}") != facts || cyrillic.MatchString(text) != (at > 0) || at == 2 && text == said[1] {
				t.Errorf("%q in %s is %q", said[0], staffLanguages[at], text)
			}
		}
	}
}

func TestRefusalsKeepTheirFacts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ language, source, want string }{
		{"ru", `"пять" is not an amount`, "«пять» — не сумма"},
		{"kk", `"пять" is not an amount`, "«пять» — сома емес"},
		{"en", `"пять" is not an amount`, `"пять" is not an amount`},
		{"ru", `"A" stands already in line 7`, "«A» уже есть в строке 7"},
		{"ru", "cell 3: the row is larger than 1 MiB", "ячейка 3: строка больше 1 МБ"},
		{"ru", "not a catalog file: this is a picture", "это не файл каталога: это картинка"},
		{"ru", "the first line does not name the columns: none is recognised as price; it says: a: b", "в первой строке нет названий столбцов: нет столбца с ценой; в строке: a: b"},
		{"ru", "tiers: A percent must be between 0 and 100.", "tiers: Процент — от 0 до 100."},
		{"en", "Бонусов не хватает: на счету 5 ₸", "Not enough bonuses: 5 ₸ on the account."},
		{"kk", "Заказ не найден", InKazakh("Заказ не найден")},
		{"ru", "What nobody has translated.", "What nobody has translated."},
		{"", "Say why.", "Say why."},
	} {
		if got := ForStaff(c.language, c.source); got != c.want {
			t.Errorf("%q in %s is %q, want %q", c.source, c.language, got, c.want)
		}
	}
}

// TestAnotherChangeIsNamedInTheLanguageOfThePage: its title and its time are there as pages look for them, and nothing else in English.
func TestAnotherChangeIsNamedInTheLanguageOfThePage(t *testing.T) {
	t.Parallel()
	const title, until = "«Весна» (0199a6f2-7a31-7c0e-9e51-1b2c3d4e5f61)", "2026-11-24 03:00 UTC"
	for _, does := range []string{" holds this until ", " sets this at "} {
		for language, want := range map[string]string{"ru": "изменение " + title, "kk": title + " өзгерісі"} {
			if got := ForStaff(language, "The change "+title+does+until+"."); !strings.Contains(got, want) || !strings.Contains(got, until) || strings.Contains(got, "change") {
				t.Errorf("%s: %s", language, got)
			}
		}
	}
}
