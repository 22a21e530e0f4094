package pages

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"regexp"
	"slices"
	"strings"
)

// shell is the HTML around every page: what the build made of web/index.html, with the style in it.
type shell struct {
	// before ends where a page's own head begins, links where the root element does, after where the page ends.
	before, links, root, after []byte
	// chunks are the build's files by module.
	chunks map[string]Chunk
	// strip is HTML before the root element, by language; nil: none.
	strip func(language string) string
}

// Chunk is an entry of the build's manifest.
type Chunk struct {
	File    string   `json:"file"`
	Imports []string `json:"imports"`
	IsEntry bool     `json:"isEntry"`
}

var (
	// ownHead are the tags of the shell that every page replaces with its own.
	ownHead = regexp.MustCompile(`(?is)\s*(<title>.*?</title>|<meta\s[^>]*\bname="?(description|robots|application-name)\b[^>]*>|<link\s[^>]*\brel="?canonical\b[^>]*>)`)
	// firstLink is where the shell's files begin.
	firstLink = regexp.MustCompile(`(?i)[ \t]*<(link|style|script)\b|</head>`)
	// stylesheet is the shell's one style.
	stylesheet = regexp.MustCompile(`(?i)<link rel="stylesheet"[^>]*\bhref="/([^"]+)"[^>]*>`)
	// modulesOf are the tags whose files a page that came drawn fetches when it has loaded; the script in
	// web/index.html sees to that.
	modulesOf = regexp.MustCompile(`<(script type|link rel)="module(?:preload)?"`)
)

// unbuilt is the shell of a program that was built without the storefront, to work on its API.
const unbuilt = `<!doctype html>
<html lang="ru">
<head>
<meta charset="utf-8">
</head>
<body><div id="root"></div><p>The storefront is not built into this program: run make build.</p></body>
</html>
`

const (
	// StaffFile is the staff app in the built storefront, one page for all of its sections.
	StaffFile = "staff.html"
	// ServerScript is the storefront as the engines run it.
	ServerScript = ".vite/server.js"
	manifestFile = ".vite/manifest.json"
)

// IsBuilt says whether the storefront is in the program.
func IsBuilt(dist fs.FS) bool {
	_, err := fs.Stat(dist, "index.html")
	return err == nil
}

// ReadBuilt reads a file of the built storefront; without a build it is instead.
func ReadBuilt(dist fs.FS, name, instead string) ([]byte, error) {
	text, err := fs.ReadFile(dist, name)
	if errors.Is(err, fs.ErrNotExist) {
		return []byte(instead), nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the built storefront: %w", err)
	}
	return text, nil
}

// loadShell reads the shell from the built storefront.
func loadShell(dist fs.FS) (*shell, error) {
	page, err := ReadBuilt(dist, "index.html", unbuilt)
	if err != nil {
		return nil, err
	}
	manifest, err := ReadBuilt(dist, manifestFile, "{}")
	if err != nil {
		return nil, err
	}
	s := &shell{}
	if err := json.Unmarshal(manifest, &s.chunks); err != nil {
		return nil, fmt.Errorf("read the storefront's manifest: %w", err)
	}
	if page, err = withStyle(dist, ownHead.ReplaceAll(page, nil)); err != nil {
		return nil, err
	}
	at := firstLink.FindIndex(page)
	if at == nil {
		return nil, errors.New("the storefront's shell has no </head>")
	}
	const root = `<div id="root">`
	links, after, found := bytes.Cut(page[at[0]:], []byte(root))
	if !found {
		return nil, errors.New("the storefront's shell has no root element")
	}
	inner, after, found := bytes.Cut(after, []byte("</body>"))
	if !found {
		return nil, errors.New("the storefront's shell has no </body>")
	}
	s.before, s.links, s.root, s.after = page[:at[0]], append(links, root...), inner, append([]byte("</body>"), after...)
	return s, nil
}

// later has modules wait until the page has loaded.
func later(links string) string {
	return modulesOf.ReplaceAllString(links, `<$1="later"`)
}

// withStyle puts the stylesheet into the page: a file of its own would be waited for before anything is drawn.
func withStyle(dist fs.FS, page []byte) ([]byte, error) {
	link := stylesheet.FindSubmatchIndex(page)
	if link == nil {
		return page, nil
	}
	style, err := fs.ReadFile(dist, string(page[link[2]:link[3]]))
	if err != nil {
		return nil, fmt.Errorf("read the storefront's style: %w", err)
	}
	return slices.Concat(page[:link[0]], []byte("<style>"), bytes.TrimSpace(style), []byte("</style>"), page[link[1]:]), nil
}

// modules are links to the scripts that modules need and the shell does not name.
func (s *shell) modules(of ...string) string {
	seen := map[string]bool{}
	var walk func(name string)
	var files []string
	walk = func(name string) {
		c, found := s.chunks[name]
		if !found || seen[name] {
			return
		}
		seen[name] = true
		for _, needed := range c.Imports {
			walk(needed)
		}
		files = append(files, c.File)
	}
	for _, name := range of {
		walk(name)
	}
	var links strings.Builder
	for _, file := range files {
		if !bytes.Contains(s.links, []byte(`"/`+file+`"`)) {
			fmt.Fprintf(&links, "<link rel=\"modulepreload\" crossorigin href=\"/%s\">\n", html.EscapeString(file))
		}
	}
	return links.String()
}

// assemble makes a page of its parts. Without HTML its script draws it.
func (s *shell) assemble(language, head, modules, markup string, given []byte) []byte {
	before, links := s.before, string(s.links)
	if language != russian {
		before = bytes.Replace(before, []byte(`lang="`+russian+`"`), []byte(`lang="`+language+`"`), 1)
	}
	if s.strip != nil {
		links = strings.Replace(links, "<body>", "<body>"+s.strip(language), 1)
	}
	if markup != "" {
		links, modules = later(links), later(modules)
	}
	var b bytes.Buffer
	b.Grow(len(before) + len(links) + len(head) + len(markup) + len(given) + 1024)
	b.Write(before)
	b.WriteString(head)
	b.WriteString(modules)
	b.WriteString(links)
	b.WriteString(markup)
	b.Write(s.root)
	if len(given) > 0 {
		b.WriteString(`<script type="application/json" id="given">`)
		b.Write(bytes.ReplaceAll(given, []byte("<"), []byte(`\u003c`))) // in JSON it stands in strings only
		b.WriteString("</script>\n")
	}
	b.Write(s.after)
	return b.Bytes()
}

// inlineHashes lists what pages hold between such tags, as CSP wants it.
func inlineHashes(page []byte, tag string) string {
	var hashes strings.Builder
	inline := regexp.MustCompile(`(?is)<` + tag + `\b([^>]*)>(.*?)</` + tag + `>`)
	for _, m := range inline.FindAllSubmatch(page, -1) {
		if len(bytes.TrimSpace(m[2])) == 0 || bytes.Contains(m[1], []byte("application/")) {
			continue // a file, or data
		}
		sum := sha256.Sum256(m[2])
		hashes.WriteString(" 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'")
	}
	return hashes.String()
}
