package readapi_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"

	"shop/readapi"
)

func TestGeonames(t *testing.T) {
	t.Parallel()
	_, shop := open(t, nil)
	ask := func(query string) (count int64, names []string) {
		t.Helper()
		w := get(t, shop, "/api/geonames/?"+query)
		var list readapi.Page[[]readapi.Geoname]
		if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil || w.Code != http.StatusOK {
			t.Fatalf("%s: %d %v", query, w.Code, err)
		}
		for _, g := range list.Results {
			names = append(names, g.AlternateName)
		}
		return list.Count, names
	}
	count, names := ask("")
	if count != 90 || len(names) != 90 || names[0] != "Алматы" || names[1] != "Астана" {
		t.Errorf("%d cities from %v", count, names)
	}
	for text, want := range map[string]string{
		"алматы": "Алматы", "Алма-Ата": "Алматы", "алмаата": "Алматы", "г. Алматы": "Алматы", "Almaty": "Алматы", "fkvfns": "Алматы", "алмата": "Алматы", "Олматы": "Алматы",
		"нур-султан": "Астана", "усть": "Усть-Каменогорск", "камено": "Усть-Каменогорск", "приозерск": "Приозёрск", "Приозёрск": "Приозёрск", "Орал": "Уральск", "караганды": "Караганда",
		"форт шевченко": "Форт-Шевченко", "Актюбинск": "Актобе", "город Семей": "Семей",
	} {
		if _, names := ask("search=" + url.QueryEscape(text)); len(names) == 0 || names[0] != want {
			t.Errorf("%s finds %v, want %s first", text, names, want)
		}
	}
	for _, text := range []string{"Лондон", "!!!", "123"} {
		if count, names := ask("search=" + url.QueryEscape(text)); count != 0 {
			t.Errorf("%s finds %v", text, names)
		}
	}
	if count, names := ask("offset=89&limit=5"); count != 90 || len(names) != 1 {
		t.Errorf("the last page has %v of %d", names, count)
	}
}
