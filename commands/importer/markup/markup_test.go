package markup_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"shop/commands/importer/markup"
)

// known are pictures whose size the tests know.
func known(name string) (markup.Picture, bool) {
	switch name {
	case "/img/soap", "/img/soap-640.webp":
		return markup.Picture{Src: "/img/soap-640.webp", Width: 640, Height: 800}, true
	case "beside.jpg":
		return markup.Picture{Src: "/media/a-800.jpg", Width: 900, Height: 600, Sources: []markup.Source{
			{Type: "image/webp", Srcset: "/media/a-320.webp 320w, /media/a-900.webp 900w"}, {Type: "image/jpeg", Srcset: "/media/a-900.jpg 900w"},
		}}, true
	}
	return markup.Picture{}, false
}

func render(t *testing.T, source string) string {
	t.Helper()
	got, err := markup.HTML([]byte(source), known)
	if err != nil {
		t.Fatal(err)
	}
	if again := markup.Sanitise(got); again != got {
		t.Errorf("sanitised again it differs:\n%s\n%s", got, again)
	}
	return strings.TrimSpace(got)
}

func TestMarkdownBecomesHTML(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"Состав — *по убыванию* **доли**.": "<p>Состав — <em>по убыванию</em> <strong>доли</strong>.</p>",
		"# Заголовок":                        "<h2>Заголовок</h2>",
		"### Третий":                         "<h3>Третий</h3>",
		"###### Шестой":                      "<h4>Шестой</h4>",
		"- раз\n- два":                       "<ul>\n<li>раз</li>\n<li>два</li>\n</ul>",
		"3. три\n4. четыре":                  "<ol start=\"3\">\n<li>три</li>\n<li>четыре</li>\n</ol>",
		"> Цитата":                           "<blockquote>\n<p>Цитата</p>\n</blockquote>",
		"~~старое~~":                         "<p><del>старое</del></p>",
		"[каталог](/categories)":             `<p><a href="/categories">каталог</a></p>`,
		"[COSMOS](https://cosmos.example)":   `<p><a href="https://cosmos.example" rel="noreferrer">COSMOS</a></p>`,
		"[почта](mailto:hello@dala.example)": `<p><a href="mailto:hello@dala.example">почта</a></p>`,
		"|а|б|\n|:-|-:|\n|1|2|":              "<table>\n<thead>\n<tr>\n<th align=\"left\">а</th>\n<th align=\"right\">б</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td align=\"left\">1</td>\n<td align=\"right\">2</td>\n</tr>\n</tbody>\n</table>",
		"![Мыло](/img/soap)":                 `<p><img src="/img/soap-640.webp" alt="Мыло" width="640" height="800" loading="lazy" decoding="async"></p>`,
		"![Рядом](beside.jpg)": `<p><picture><source type="image/webp" srcset="/media/a-320.webp 320w, /media/a-900.webp 900w" sizes="auto, 100vw">` +
			`<source type="image/jpeg" srcset="/media/a-900.jpg 900w" sizes="auto, 100vw">` +
			`<img src="/media/a-800.jpg" alt="Рядом" width="900" height="600" sizes="auto, 100vw" loading="lazy" decoding="async"></picture></p>`,
		"![Нигде](lost.jpg)":                     "<p></p>",
		"![](https://cdn.example/a.jpg?a=1&b=2)": `<p><img src="https://cdn.example/a.jpg?a=1&amp;b=2" alt="" loading="lazy" decoding="async"></p>`,
		"<figure><img src=\"/img/soap\" alt=\"Мыло\"><figcaption>Мыло с лавандой</figcaption></figure>": `<figure><img src="/img/soap-640.webp" alt="Мыло" width="640" height="800" loading="lazy" decoding="async"><figcaption>Мыло с лавандой</figcaption></figure>`,
		"`a < b`": "<p><code>a &lt; b</code></p>",
	} {
		if got := render(t, source); got != want {
			t.Errorf("%s\n got %s\nwant %s", source, got, want)
		}
	}
}

func TestHostileTextsAreHarmless(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`<script>alert(1)</script>да`:                                    "да",
		`<SCRIPT SRC=//evil.example/x.js></SCRIPT>`:                      "",
		`<img src="/img/soap" onerror="alert(1)">`:                       `<img src="/img/soap-640.webp" alt="" width="640" height="800" loading="lazy" decoding="async">`,
		`<img src=x onerror=alert(1)>`:                                   "",
		`<img src="data:image/svg+xml,<svg onload=alert(1)>">`:           "",
		`<img src="//evil.example/p.gif">`:                               "",
		`<img src="http://evil.example/p.gif">`:                          "",
		`<img src="/img/a.webp" srcset="https://evil.example/p.gif 2x">`: `<img src="/img/a.webp" alt="" loading="lazy" decoding="async">`,
		`<picture><source type="image/webp" srcset="https://evil.example/p.gif 2w" sizes="1px" media="all"><img src="/img/a.webp"></picture>`: `<p><picture><source type="image/webp"><img src="/img/a.webp" alt="" loading="lazy" decoding="async"></picture></p>`,
		`<picture><source type="image/webp" srcset="/img/a.webp 1w, //evil.example/p.gif 2w"></picture>`:                                      `<p><picture><source type="image/webp"></picture></p>`,
		`<picture><source type="image/webp" srcset="/img/a.webp 1w" src="https://evil.example/p.gif" onerror="alert(1)"></picture>`:           `<p><picture><source type="image/webp" srcset="/img/a.webp 1w"></picture></p>`,
		`[тут](javascript:alert(1))`:                                              "<p>тут</p>",
		`[тут](JaVaScRiPt:alert(1))`:                                              "<p>тут</p>",
		`<a href="java&#x09;script:alert(1)">тут</a>`:                             "<p>тут</p>",
		`[тут](data:text/html,<script>alert(1)</script>)`:                         "<p>тут</p>",
		`[тут](//evil.example)`:                                                   "<p>тут</p>",
		`[тут](/\evil.example)`:                                                   `<p><a href="/%5Cevil.example">тут</a></p>`,
		`<a href="/\evil.example">тут</a>`:                                        "<p>тут</p>",
		`<a href="/about" onclick="alert(1)" target="_blank" style="x">о нас</a>`: `<p><a href="/about">о нас</a></p>`,
		`<p style="position:fixed;inset:0">да</p>`:                                "<p>да</p>",
		`<p class="a" id="root">да</p>`:                                           "<p>да</p>",
		`<style>body{display:none}</style>да`:                                     "да",
		`<iframe src="https://evil.example"></iframe>`:                            "",
		`<object data="/x.swf"></object><embed src="/x.swf">`:                     "<p></p>",
		`<form action="/api/token"><input name="password"></form>`:                "",
		`<svg><script>alert(1)</script></svg>`:                                    "<p></p>",
		`<math><mtext><img src=x onerror=alert(1)></mtext></math>`:                "<p></p>",
		`<base href="https://evil.example/">`:                                     "",
		`<meta http-equiv="refresh" content="0;url=https://evil.example">`:        "",
		`<!-- <img src=x onerror=alert(1)> -->`:                                   "",
		`<figure><img src="/img/a.webp" width="1e9" height="-1"></figure>`:        `<figure><img src="/img/a.webp" alt="" loading="lazy" decoding="async"></figure>`,
		"![\"><script>alert(1)</script>](/img/a.webp)":                            `<p><img src="/img/a.webp" alt="&#34;&gt;alert(1)" loading="lazy" decoding="async"></p>`,
	} {
		got := render(t, source)
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", source, got, want)
		}
	}
}

// TestWhatIsSafeStaysAsItIs: commands sanitise what they are given once more.
func TestWhatIsSafeStaysAsItIs(t *testing.T) {
	t.Parallel()
	pieces := rapid.SampledFrom([]string{"<p>", "</p>", "<script>", "</script>", "<img src=\"/img/soap\" onerror=a>", "<a href=\"https://a.example?b&c\" rel=x>", "</a>",
		"<!--", "-->", "\"", "'", "<", ">", "&lt;", "&#0;", "\x00", "мыло", "<svg>", "<style>", "<table><td align=left>", "\n\n", "![x](/img/soap)", "![x](beside.jpg)", "<source srcset=\"/a 1w\">", "<picture>", "[a](javascript:b)", "`"})
	rapid.Check(t, func(t *rapid.T) {
		source := strings.Join(rapid.SliceOfN(pieces, 0, 12).Draw(t, "pieces"), "")
		once, err := markup.HTML([]byte(source), known)
		if err != nil {
			t.Fatal(err)
		}
		if again := markup.Sanitise(once); again != once {
			t.Fatalf("%q\nonce  %q\nagain %q", source, once, again)
		}
	})
}
