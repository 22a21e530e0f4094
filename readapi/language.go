package readapi

import (
	"net/http"
	"strings"
)

// language is what products, categories and marks are shown in: Russian, or Kazakh as far as they have texts in it.
type language bool

const (
	russian language = false
	kazakh  language = true
)

// inKK names Kazakh in requests and answers.
const inKK = "kk"

// languageOf is the language that a request asks for by lang=kk; Russian without it.
func languageOf(r *http.Request) language { return r.URL.Query().Get("lang") == inKK }

// text is SQL for a text of a row. A text that Kazakh lacks is in Russian.
func (l language) text(row, field string) string {
	if l == russian {
		return row + "." + field
	}
	return "coalesce(nullif(" + row + ".kazakh->>'" + field + "', ''), " + row + "." + field + ")"
}

// spoken is SQL for kk where a text of a row is in Kazakh, else for an empty text.
func (l language) spoken(row, field string) string {
	if l == russian {
		return "''"
	}
	return "CASE WHEN coalesce(" + row + ".kazakh->>'" + field + "', '') = '' THEN '' ELSE '" + inKK + "' END"
}

// fallback is SQL that follows a list of columns and adds one with the names of those texts that a row shows in Russian because Kazakh
// lacks them. In Russian it adds none.
func (l language) fallback(row string, fields ...string) string {
	if l == russian {
		return ""
	}
	return ", " + inRussian(row, fields...) + " AS russian"
}

// fallbackOf is fallback inside json_build_object.
func (l language) fallbackOf(row string, fields ...string) string {
	if l == russian {
		return ""
	}
	return ", 'russian', " + inRussian(row, fields...)
}

func inRussian(row string, fields ...string) string {
	var lacking []string
	for _, field := range fields {
		lacking = append(lacking, "CASE WHEN coalesce("+row+".kazakh->>'"+field+"', '') = '' THEN '"+field+"' END")
	}
	return "to_jsonb(array_remove(ARRAY[" + strings.Join(lacking, ", ") + "], NULL))"
}

// inBothLanguages is a statement as it is for each language.
func inBothLanguages(sql func(language) string) map[language]string {
	return map[language]string{russian: sql(russian), kazakh: sql(kazakh)}
}
