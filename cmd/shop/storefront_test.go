package main

import (
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"shop/cmd/shop/pages"
	"shop/cmd/shop/shoptest"
)

// sources are the storefront's.
var sources = os.DirFS("../../web/src")

func source(t *testing.T, name string) string {
	t.Helper()
	text, err := fs.ReadFile(sources, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// pagesOfStorefront are the modules of the storefront's pages by their paths: app/pages.ts says both.
func pagesOfStorefront(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, m := range regexp.MustCompile(`path: '([^']+)', load: \(\) => import\('\.\./(routes/[a-z-]+)'\)`).FindAllStringSubmatch(source(t, "app/pages.ts"), -1) {
		found[m[1]] = "src/" + m[2] + ".tsx"
	}
	if len(found) < 20 {
		t.Fatalf("app/pages.ts has %d pages", len(found))
	}
	return found
}

// A page's scripts are named in its head: for that the server must know the module that the storefront draws it with.
func TestEveryPageHasTheModuleThatDrawsIt(t *testing.T) {
	t.Parallel()
	modules := pagesOfStorefront(t)
	chunks := map[string]pages.Chunk{}
	for _, module := range modules {
		chunks[module] = pages.Chunk{File: "assets/" + strings.TrimSuffix(strings.TrimPrefix(module, "src/routes/"), ".tsx") + "-1.js"}
	}
	manifest, err := json.Marshal(chunks)
	if err != nil {
		t.Fatal(err)
	}
	dist := maps.Clone(shoptest.Built)
	dist[".vite/manifest.json"] = &fstest.MapFile{Data: manifest}
	h := siteOf(t, dist)
	for path, module := range modules {
		paths := []string{strings.Replace(path, ":id", "x", 1)}
		if all, _, optional := strings.Cut(path, "/:id?"); optional {
			paths = []string{all, all + "/x"}
		}
		for _, at := range paths {
			if body := shoptest.Get(t, h, at).Body.String(); !strings.Contains(body, `href="/`+chunks[module].File+`"`) {
				t.Errorf("%s is not drawn by %s", at, module)
			}
		}
	}
}

// A head is the same before the page's script has run, and after it.
func TestHeadsSayWhatTheStorefrontSays(t *testing.T) {
	t.Parallel()
	var russianTexts strings.Builder
	names, err := fs.Glob(sources, "texts/*.ts")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if name != "texts/kk.ts" {
			russianTexts.WriteString(source(t, name))
		}
	}
	texts := map[string]string{pages.Russian: russianTexts.String(), pages.Kazakh: source(t, "texts/kk.ts")}
	locales := map[string]string{pages.Russian: "ru_KZ", pages.Kazakh: "kk_KZ"}
	title, description := regexp.MustCompile(`<title>(.*?)</title>`), regexp.MustCompile(`<meta name="description" content="(.*?)">`)
	h := testSite(t)
	for path := range pagesOfStorefront(t) {
		if strings.Contains(path, ":id") && !strings.Contains(path, "order") {
			continue // the catalog says what these are about
		}
		for language, known := range texts {
			body := shoptest.Get(t, h, strings.Replace(path, ":id", "x", 1), "Cookie", "lang="+language).Body.String()
			said := []string{strings.TrimSuffix(strings.TrimPrefix(title.FindStringSubmatch(body)[1], "Дала — "), " — Дала")}
			if m := description.FindStringSubmatch(body); m != nil {
				said = append(said, m[1])
			}
			for _, text := range said {
				if !strings.Contains(known, fmt.Sprintf("'%s'", html.UnescapeString(text))) {
					t.Errorf("%s in %s says %q, the storefront does not", path, language, text)
				}
			}
			if len(said) > 1 && !strings.Contains(body, `content="`+locales[language]+`"`) {
				t.Errorf("%s in %s has another locale", path, language)
			}
		}
	}
}
