package readapi_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
)

// A search that says nothing which can be read is one, and finds nothing: it does not list all goods.
func TestNobodyFindsWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	_, shop := open(t, history())
	for name, text := range map[string]string{
		"NUL": "\x00", "control characters": "\x01\x02\x7f", "broken UTF-8": "\xff\xfe", "half a letter": "\xd0", "signs": "!@#$%^&*()", "a sign": "%", "underscores": "___", "dots": "…", "quotes": `""''`,
		"zero width": "\u200b\u200d\ufeff", "right to left": "\u202e\u202d", "Arabic": "شامبو", "Hebrew": "סבון", "emoji": "🧴🧼", "flag": "🇰🇿",
		"10 000 letters": strings.Repeat("ы", 10_000), "10 000 signs": strings.Repeat("%", 10_000), "10 000 NULs": strings.Repeat("\x00", 10_000),
		"SQL": "'; DROP TABLE catalog.product; --", "SQL union": "1' UNION SELECT NULL--", "HTML": "<script>alert(1)</script>", "template": "{{7*7}}", "format": "%s%s%n",
	} {
		if got := links(t, shop, "/api/products/?search="+url.QueryEscape(text)); got != "" {
			t.Errorf("%s finds %q", name, got)
		}
		w := get(t, shop, "/api/products/suggest/?q="+url.QueryEscape(text))
		var suggested struct{ Results []json.RawMessage }
		if err := json.Unmarshal(w.Body.Bytes(), &suggested); err != nil || w.Code != 200 || len(suggested.Results) > 0 {
			t.Errorf("%s suggests %s, status %d", name, w.Body, w.Code)
		}
	}
	// What can be read among it is searched for.
	for _, text := range []string{"\x00шампунь\xff", "🧴 шампунь", "\u202eшампунь", strings.Repeat("шампунь ", 1250)} {
		if got := links(t, shop, "/api/products/?search="+url.QueryEscape(text)); got != "shampoo" {
			t.Errorf("%.40q finds %q", text, got)
		}
	}
}
