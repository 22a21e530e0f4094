package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"shop/cmd/shop/edge"
	"shop/commands"
	"shop/commands/changes"
	"shop/domain/staff"
	reads "shop/readapi/staff"
)

// workbook is an Excel workbook of one sheet with texts in its cells, and of further parts.
func workbook(t *testing.T, rows [][]string, parts map[string]string) string {
	t.Helper()
	var file bytes.Buffer
	archive := zip.NewWriter(&file)
	put := func(name, text string) {
		part, err := archive.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		part.Write([]byte(text))
	}
	const head = `<?xml version="1.0" encoding="UTF-8"?>`
	put("[Content_Types].xml", head+`<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`)
	put("_rels/.rels", head+`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`)
	put("xl/workbook.xml", head+`<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Товары" sheetId="1" r:id="r1"/></sheets></workbook>`)
	put("xl/_rels/workbook.xml.rels", head+`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`)
	put("xl/styles.xml", head+`<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"/>`)
	var sheet strings.Builder
	sheet.WriteString(head + `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>`)
	for n, row := range rows {
		sheet.WriteString(`<row r="` + string(rune('1'+n)) + `">`)
		for c, cell := range row {
			sheet.WriteString(`<c r="` + string(rune('A'+c)) + string(rune('1'+n)) + `" t="inlineStr"><is><t>` + cell + `</t></is></c>`)
		}
		sheet.WriteString(`</row>`)
	}
	sheet.WriteString(`</sheetData></worksheet>`)
	put("xl/worksheets/sheet1.xml", sheet.String())
	for name, text := range parts {
		put(name, text)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return file.String()
}

// TestACatalogFileIsOneChange: it is planned by row, applied with what it adds, and undone; a second time it changes nothing.
func TestACatalogFileIsOneChange(t *testing.T) {
	t.Parallel()
	d := productsDesk(t)
	keeper := d.worker(staff.Manager)
	plan := func(file, query string) (p changes.Plan) {
		t.Helper()
		keeper.ask(200, "POST", "/api/staff/imports/plan/"+query, file, &p)
		return p
	}
	const file = "Артикул;Название;Бренд;Категория;Цена;Остаток;Знаки;Название на казахском\n" +
		"MK-1;Крем для рук;Зелёный луг;Тело > Руки;4990;7;Веган;Қол кремі\n" +
		"SC-1;Скраб «Соль»;Тұз;Тело > Скрабы;1500;3;Новый знак;\n" +
		"SC-2;Скраб;Тұз;Тело > Скрабы;дорого;3;;\n" +
		"SH-1;Шампунь;Ойла;Волосы;2500;0;Веган, Эко;\n"
	p := plan(file, "")
	if p.Refused != "" || p.Count != 4 || p.Same != 1 || len(p.Rows) != 2 || len(p.Bad) != 1 || p.Bad[0].Line != 4 || p.Bad[0].Field != "price" {
		t.Fatalf("%+v", p)
	}
	if want := []string{"SC-2", "Скраб", "Тұз", "Тело > Скрабы", "дорого", "3", "", ""}; !slices.Equal(p.Bad[0].Cells, want) {
		t.Errorf("the cells of the bad row are %q", p.Bad[0].Cells)
	}
	if !p.Rows[1].New || p.Rows[1].Items != 4 { // brand, category, mark, product
		t.Errorf("%+v", p.Rows)
	}
	items, err := json.Marshal(p.Items)
	if err != nil {
		t.Fatal(err)
	}
	var made changedThings
	keeper.ask(201, "POST", "/api/staff/changes/", `{"title":"Импорт goods.csv","items":`+string(items)+`}`, &made)
	for i, r := range made.Results {
		if r.Outcome != "done" {
			t.Errorf("item %d: %+v", i, r)
		}
	}
	d.catchUp("catalog", "stock", "changes")
	if again := plan(file, ""); len(again.Items) != 0 || again.Same != 3 {
		t.Errorf("a second time: %+v", again)
	}
	var found reads.FoundProducts
	keeper.ask(200, "GET", "/api/staff/products/?query=SC-1", "", &found)
	if len(found.Results) != 1 || found.Results[0].OnHand != 3 || found.Results[0].Brand != "Тұз" || found.Results[0].Category != "Тело > Скрабы" {
		t.Errorf("%+v", found)
	}
	keeper.ask(201, "POST", "/api/staff/changes/"+made.ID.String()+"/undo/", `{"reason":"не тот файл"}`, &made)
	for i, r := range made.Results {
		if r.Outcome != "done" {
			t.Errorf("undo of item %d: %+v", i, r)
		}
	}
	d.catchUp("catalog", "stock", "changes")
	keeper.ask(200, "GET", "/api/staff/products/?query=SC-1&state=active", "", &found)
	if len(found.Results) != 0 {
		t.Errorf("%+v", found)
	}
	if back := plan(file, ""); len(back.Rows) != 2 {
		t.Errorf("after the undo: %+v", back.Rows)
	}

	// Columns that are not recognised are matched by hand.
	const theirs = "Код поставщика;Ценник\nMK-1;5100\n"
	if p = plan(theirs, ""); p.Refused == "" || len(p.Columns) != 2 || p.Columns[0].Theirs != "Код поставщика" || p.Columns[0].Ours != "" {
		t.Errorf("%+v", p)
	}
	p = plan(theirs, "?columns="+url.QueryEscape(`{"article":"Код поставщика","price":"Ценник"}`))
	if p.Refused != "" || len(p.Items) != 1 || string(p.Items[0].Now) != `{"price":5100,"discounted_price":5100}` {
		t.Errorf("%+v", p)
	}
	// A workbook is read as its first sheet.
	if p = plan(workbook(t, [][]string{{"Артикул", "Цена"}, {"MK-1", "5100"}}, nil), ""); p.Refused != "" || len(p.Items) != 1 {
		t.Errorf("%+v", p)
	}
}

// TestAPlanTellsHowFarItIs: in lines, the last of which is the plan as it is without them.
func TestAPlanTellsHowFarItIs(t *testing.T) {
	t.Parallel()
	d := productsDesk(t)
	keeper := d.worker(staff.Manager)
	file := "Артикул;Цена;Заметка\n" + strings.Repeat("NO-1;1;"+strings.Repeat("x", 200)+"\n", 2_000) // more than is read at once
	ask := func(query string) string {
		t.Helper()
		got := d.ask("POST", "/api/staff/imports/plan/"+query, file, "Cookie", keeper.cookie, edge.CsrfHeader, keeper.csrf)
		if got.Code != 200 {
			t.Fatalf("%d: %s", got.Code, got.Body)
		}
		return strings.TrimSpace(got.Body.String())
	}
	lines := strings.Split(ask("?progress=true"), "\n")
	last, before := lines[len(lines)-1], 0.0
	for _, line := range lines[:len(lines)-1] {
		var said struct{ Share float64 }
		if err := json.Unmarshal([]byte(line), &said); err != nil || said.Share < before || said.Share > 1 {
			t.Errorf("%q after %v: %v", line, before, err)
		}
		before = said.Share
	}
	if len(lines) < 3 || before == 0 {
		t.Errorf("%d lines, the last share is %v", len(lines), before)
	}
	if plain := ask(""); last != plain {
		t.Errorf("the plan is %.200s, without progress %.200s", last, plain)
	}
}

// TestTheShopRemembersHowColumnsAreMatched: for whoever uploads the next file with the same headers, until they are matched otherwise.
func TestTheShopRemembersHowColumnsAreMatched(t *testing.T) {
	t.Parallel()
	d := productsDesk(t)
	const file, other = "Код поставщика;Ценник;Остаток\nMK-1;5100;9\n", "Ценник;Код поставщика;Остаток\n5100;MK-1;9\n"
	plan := func(w worker, file, query string) (p changes.Plan) {
		t.Helper()
		w.ask(200, "POST", "/api/staff/imports/plan/"+query, file, &p)
		return p
	}
	one, next := d.worker(staff.Manager), d.worker(staff.Catalog)
	matched := map[string]string{"article": "Код поставщика", "price": "Ценник", "stock": ""}
	plan(one, file, "?columns="+url.QueryEscape(`{"article":"Код поставщика","price":"Ценник","stock":""}`))
	if p := plan(next, file, ""); p.Refused != "" || len(p.Items) != 1 || p.Items[0].Field != "prices" || !maps.Equal(p.Matched, matched) {
		t.Errorf("the next file: %+v", p)
	}
	if p := plan(next, other, ""); p.Refused == "" || len(p.Matched) > 0 {
		t.Errorf("other headers: %+v", p)
	}
	if p := plan(one, file, "?columns={}"); p.Refused == "" || len(p.Matched) > 0 {
		t.Errorf("matched otherwise: %+v", p)
	}
	if p := plan(next, file, ""); p.Refused == "" || len(p.Matched) > 0 {
		t.Errorf("after that: %+v", p)
	}
}

// TestApplyingTellsHowFarItIs: in lines; what comes last says what is in the headers of an answer without them.
func TestApplyingTellsHowFarItIs(t *testing.T) {
	t.Parallel()
	d := productsDesk(t)
	keeper := d.worker(staff.Manager)
	var found reads.FoundProducts
	keeper.ask(200, "GET", "/api/staff/products/?query=MK-1", "", &found)
	ask := func(was, now int) []string {
		t.Helper()
		body := fmt.Sprintf(`{"title":"Импорт","partly":true,"items":[{"thing":"stock","id":%q,"field":"on_hand","was":%d,"now":%d}]}`, found.Results[0].ID, was, now)
		got := d.ask("POST", "/api/staff/changes/?progress=true", body, "Cookie", keeper.cookie, edge.CsrfHeader, keeper.csrf)
		return strings.Split(strings.TrimSpace(got.Body.String()), "\n")
	}
	lines := ask(7, 9)
	if len(lines) < 2 || lines[len(lines)-2] != `{"share":1.000}` {
		t.Fatalf("told %q", lines)
	}
	var made struct {
		changedThings
		Position int64
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &made); err != nil || made.Status != "applied" || made.Position == 0 {
		t.Errorf("the last line is %s: %v", lines[len(lines)-1], err)
	}
	var refused struct{ Detail string }
	if lines = ask(7, 8); json.Unmarshal([]byte(lines[len(lines)-1]), &refused) != nil || refused.Detail == "" {
		t.Errorf("told %q of a stock that moved since", lines)
	}
}

// TestACatalogFileNamesCategoriesInKazakh: those that are there, and one that the file adds; a second time it changes nothing.
func TestACatalogFileNamesCategoriesInKazakh(t *testing.T) {
	t.Parallel()
	d := productsDesk(t)
	keeper := d.worker(staff.Manager)
	const file = "Артикул;Название;Категория;category_kk;Цена\n" +
		"MK-1;Крем для рук;Тело > Руки;Дене > Қол;4690\n" +
		"SC-1;Скраб;Тело > Скрабы;Дене > Скрабтар;1500\n" +
		"SC-2;Скраб 2;Тело > Скрабы;Дене > Басқа;1500\n"
	var p changes.Plan
	keeper.ask(200, "POST", "/api/staff/imports/plan/", file, &p)
	items, err := json.Marshal(p.Items)
	if err != nil {
		t.Fatal(err)
	}
	var made changedThings
	keeper.ask(201, "POST", "/api/staff/changes/", `{"title":"Импорт","items":`+string(items)+`}`, &made)
	for i, r := range made.Results {
		if r.Outcome != "done" {
			t.Errorf("item %d: %+v", i, r)
		}
	}
	d.catchUp("catalog", "stock", "changes")
	var shown struct{ Results []reads.CatalogEntry }
	keeper.ask(200, "GET", "/api/staff/catalog/category/", "", &shown)
	said := map[string]string{}
	for _, c := range shown.Results {
		said[c.Name] = c.Kazakh.Name
	}
	for name, want := range map[string]string{"Тело": "Дене", "Руки": "Қол", "Скрабы": "Скрабтар", "Волосы": ""} {
		if said[name] != want {
			t.Errorf("%s is %q in Kazakh, want %q", name, said[name], want)
		}
	}
	p = changes.Plan{}
	if keeper.ask(200, "POST", "/api/staff/imports/plan/", strings.Replace(file, "Басқа", "Скрабтар", 1), &p); len(p.Items) != 0 {
		t.Errorf("a second time: %+v", p.Items)
	}
}

// TestCatalogFilesThatAreRefused: each is told, and nothing is written.
func TestCatalogFilesThatAreRefused(t *testing.T) {
	t.Parallel()
	d := productsDesk(t)
	keeper := d.worker(staff.Catalog)
	for name, c := range map[string]struct{ file, says string }{
		"empty":       {" ", "empty"},
		"no header":   {"a;b\n1;2\n", "does not name the columns"},
		"a picture":   {"\x89PNG\r\n\x1a\n\x00\x00\x00", ""},
		"macros":      {workbook(t, nil, map[string]string{"xl/vbaProject.bin": "x"}), "macros"},
		"a bomb":      {workbook(t, nil, map[string]string{"xl/media/a": strings.Repeat("0", 129<<20)}), "too large"},
		"half a book": {workbook(t, nil, nil)[:200], "damaged"},
		"not a book":  {"PK\x03\x04 nothing", "damaged"},
		"bad mapping": {"Артикул;Цена\nMK-1;1\n", ""},
	} {
		query := ""
		if name == "bad mapping" {
			query, c.says = "?columns="+url.QueryEscape(`{"colour":"Цена"}`), "none of our columns"
		}
		var p changes.Plan
		keeper.ask(200, "POST", "/api/staff/imports/plan/"+query, c.file, &p)
		if p.Refused == "" || !strings.Contains(p.Refused, c.says) || len(p.Items) > 0 {
			t.Errorf("%s: %+v", name, p)
		}
	}
	keeper.ask(400, "POST", "/api/staff/imports/plan/?columns=x", "a", nil)
	keeper.ask(413, "POST", "/api/staff/imports/plan/", strings.Repeat("a", 33<<20), nil)
	for _, role := range staff.Roles {
		w := keeper
		if role != staff.Catalog {
			w = d.worker(role)
		}
		w.mayCall(role, guarded{"POST", "/api/staff/imports/plan/", "Артикул;Цена\nMK-1;1\n", staff.ChangeCatalog})
	}
}

// TestStaffAreRefusedInTheLanguageOfTheirPage: rows of a file, items of a change and whole requests. The command line and clients that ask for no
// language are told in English.
func TestStaffAreRefusedInTheLanguageOfTheirPage(t *testing.T) {
	t.Parallel()
	d := productsDesk(t)
	keeper := d.worker(staff.Manager)
	product := commands.ProductID("MK-1").String()
	for language, want := range map[string][6]string{
		"ru": {"«дорого» — не сумма", "это не файл каталога: это картинка", "Нужно целое число.", "Такого изменения нет.", "Столбцы указаны неверно.", "в первой строке нет названий столбцов: нет столбца с названием; в строке: a, b"},
		"kk": {"«дорого» — сома емес", "бұл каталог файлы емес: бұл сурет", "Бүтін сан керек.", "Мұндай өзгеріс жоқ.", "Бағандар қате көрсетілген.", "бірінші жолда баған атаулары жоқ: атауы бар баған жоқ; жолда: a, b"},
		"en": {`"дорого" is not an amount`, "not a catalog file: this is a picture", "The value must be a whole number.", "There is no such change.", "Must be an object of our columns and theirs.", "the first line does not name the columns: none is recognised as name; it says: a, b"},
		"":   {`"дорого" is not an amount`, "not a catalog file: this is a picture", "The value must be a whole number.", "There is no such change.", "Must be an object of our columns and theirs.", "the first line does not name the columns: none is recognised as name; it says: a, b"},
	} {
		ask := func(method, path, body string, v any) {
			t.Helper()
			got := d.ask(method, path, body, "Cookie", keeper.cookie, edge.CsrfHeader, keeper.csrf, "Accept-Language", language)
			if err := json.Unmarshal(got.Body.Bytes(), v); err != nil {
				t.Fatalf("%s %s: %v", method, path, err)
			}
		}
		var (
			row, file changes.Plan
			headless  changes.Plan
			tried     changedThings
			missing   struct{ Detail string }
			field     struct{ Columns []string }
		)
		ask("POST", "/api/staff/imports/plan/", "Артикул;Цена\nMK-1;дорого\n", &row)
		ask("POST", "/api/staff/imports/plan/", "\x89PNG\r\n\x1a\n\x00\x00\x00", &file)
		ask("POST", "/api/staff/imports/plan/", "a;b\n1;2\n", &headless)
		ask("POST", "/api/staff/changes/dry-run/", `{"title":"x","items":[{"thing":"product","id":"`+product+`","field":"price","now":"дорого"}]}`, &tried)
		ask("GET", "/api/staff/changes/"+product+"/", "", &missing)
		ask("POST", "/api/staff/imports/plan/?columns=x", "a", &field)
		if len(row.Bad) != 1 || len(tried.Results) != 1 || len(field.Columns) != 1 {
			t.Fatalf("%q: %+v, %+v, %+v", language, row, tried, field)
		}
		if got := [6]string{row.Bad[0].Reason, file.Refused, tried.Results[0].Detail, missing.Detail, field.Columns[0], headless.Refused}; got != want {
			t.Errorf("in %q: %q", language, got)
		}
	}
}
