package main

import (
	"strings"
	"testing"

	"shop/domain/staff"
	"shop/readapi/endpoint"
)

// TestTextsOfLetters: staff change what a letter says as they change other content, and look at a sample of it before.
func TestTextsOfLetters(t *testing.T) {
	t.Parallel()
	d := contentDesk(t)
	editor := d.worker(staff.Admin)
	const path = "/api/staff/letters/texts/"
	type words struct{ Block, Own, Text string }
	type sentence struct {
		Name               string
		Placeholders, Must []string
		RU, KK             words
	}
	type letter struct {
		Kind    string
		Changed bool
		Texts   []sentence
	}
	listed := func(kind, text string) (letter, sentence) {
		t.Helper()
		var all struct{ Results []letter }
		editor.ask(200, "GET", path, "", &all)
		for _, l := range all.Results {
			for _, s := range l.Texts {
				if l.Kind == kind && s.Name == text {
					return l, s
				}
			}
		}
		t.Fatalf("%d letters, none with %s %s", len(all.Results), kind, text)
		return letter{}, sentence{}
	}
	type sample struct{ Subject, HTML, Text string }
	shown := func(kind, language, text, texts string) (s sample) {
		t.Helper()
		editor.ask(200, "POST", path+"sample/", `{"kind":"`+kind+`","language":"`+language+`","text":"`+text+`","texts":`+texts+`}`, &s)
		return s
	}

	l, opening := listed("order-placed", "opening")
	if l.Changed || opening.RU != (words{"letter-order-placed.opening", "Спасибо! Мы получили Ваш заказ.", ""}) || opening.KK.Block != "letter-order-placed.opening-kk" ||
		opening.KK.Own != "Рақмет! Тапсырысыңызды алдық." || strings.Join(opening.Placeholders, " ") != "{name} {shop} {email} {number} {sum}" || opening.Must == nil {
		t.Errorf("%+v %+v", l, opening)
	}
	s := shown("order-placed", "ru", "opening", `{"opening":"Ура, {name} из {shop}! 2 < 3","subject":"Ваш заказ {number}"}`)
	if s.Subject != "Ваш заказ 100321" || !strings.Contains(s.HTML, "Ура, Анна из Дала! 2 &lt; 3") || !strings.Contains(s.Text, "Ура, Анна из Дала! 2 < 3") || !strings.Contains(s.Text, "hello@dala.example") {
		t.Errorf("%+v", s)
	}
	if s := shown("order-placed", "kk", "soon", `{"soon":"Күтіңіз"}`); !strings.Contains(s.Text, "Күтіңіз") || !strings.Contains(s.Subject, "тапсырыс") {
		t.Errorf("%+v", s)
	}
	for field, asked := range map[string]string{
		"opening":  `{"kind":"order-placed","language":"ru","text":"","texts":{"opening":"Вернём {owed}"}}`,
		"subject":  `{"kind":"order-placed","language":"kk","text":"","texts":{"subject":"Рақмет"}}`,
		"ending":   `{"kind":"order-placed","language":"ru","text":"","texts":{"ending":"Пока"}}`,
		"kind":     `{"kind":"staff-notice","language":"ru","text":"","texts":{}}`,
		"language": `{"kind":"welcome","language":"en","text":"","texts":{}}`,
	} {
		var fields endpoint.FieldErrors
		editor.ask(400, "POST", path+"sample/", asked, &fields)
		if len(fields[field]) != 1 {
			t.Errorf("%s: %v", asked, fields)
		}
	}

	if sheet := d.ask("GET", path+"sheet/", "", "Cookie", editor.cookie); sheet.Code != 200 || !strings.Contains(sheet.Header().Get("Content-Security-Policy"), "style-src 'unsafe-inline'") ||
		strings.Contains(sheet.Header().Get("Content-Security-Policy"), "script") || sheet.Header().Get("X-Frame-Options") != "SAMEORIGIN" {
		t.Errorf("%d %v", sheet.Code, sheet.Header())
	}

	made := editor.changed(201, "content", opening.RU.Block, "text", "Ура, {name}!")
	editor.changed(409, "content", opening.RU.Block, "text", "Ура, {nme}!")
	editor.changed(409, "content", "letter-order-placed.ending", "text", "Ура!")
	if l, opening := listed("order-placed", "opening"); !l.Changed || opening.RU.Text != "Ура, {name}!" || opening.KK.Text != "" {
		t.Errorf("%+v", l)
	}
	d.projectChanges()
	editor.ask(201, "POST", "/api/staff/changes/"+made.ID.String()+"/undo/", `{"reason":"рано"}`, nil)
	if l, opening := listed("order-placed", "opening"); l.Changed || opening.RU.Text != "" {
		t.Errorf("after the undo: %+v", l)
	}
}
