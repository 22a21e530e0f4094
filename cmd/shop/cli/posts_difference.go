package cli

import (
	"fmt"
	"slices"
	"strings"

	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/terminal"
	"shop/domain/post"
)

// longDifference is how many lines of a text are shown on each side of a difference.
const longDifference = 20

// postDifferences says by line what would be other about a post that has an article; nil: it is out of sight.
func postDifferences(is post.State, article *post.Article) []string {
	lines := fieldDifference(nil, "published", command.YesNo(is.Published), command.YesNo(article != nil))
	if article == nil {
		return lines
	}
	was, now := shownOf(is.Article), shownOf(*article)
	for i, field := range was {
		lines = fieldDifference(lines, field.name, field.value, now[i].value)
	}
	return append(lines, textDifference("text", is.Article.HTML, article.HTML)...)
}

// shown is a short value of a post as people read it.
type shown struct{ name, value string }

// shownOf are the short values of an article.
func shownOf(a post.Article) []shown {
	date, size, markdown := "", "", "not kept"
	if !a.PublishedAt.IsZero() {
		date = terminal.Moment(a.PublishedAt)
	}
	if a.Photo != nil {
		size = fmt.Sprintf("%d × %d, %d encodings", a.Photo.Width, a.Photo.Height, len(a.Photo.Sources))
	}
	if a.Source != "" {
		markdown = "kept"
	}
	return []shown{
		{"link", a.Link}, {"title", a.Title}, {"description", a.Excerpt}, {"image", a.Picture}, {"alt", a.Alt}, {"size", size}, {"date", date}, {"markdown", markdown},
	}
}

// fieldDifference adds a field to lines if its values differ.
func fieldDifference(lines []string, name, was, now string) []string {
	if was == now {
		return lines
	}
	orNothing := func(value string) string {
		if value == "" {
			return "(nothing)"
		}
		return value
	}
	return append(lines, name+": "+orNothing(was)+" → "+orNothing(now))
}

// textDifference are the lines that go, with -, and those that come, with +, between what both texts begin and end with.
func textDifference(name, was, now string) []string {
	if was == now {
		return nil
	}
	old, then := textLines(was), textLines(now)
	for len(old) > 0 && len(then) > 0 && old[0] == then[0] {
		old, then = old[1:], then[1:]
	}
	for len(old) > 0 && len(then) > 0 && old[len(old)-1] == then[len(then)-1] {
		old, then = old[:len(old)-1], then[:len(then)-1]
	}
	return slices.Concat([]string{name + ":"}, marked("- ", old), marked("+ ", then))
}

func textLines(text string) []string {
	return slices.Collect(strings.SplitSeq(text, "\n"))
}

// marked puts a sign before each line, and says how many are left out.
func marked(sign string, lines []string) []string {
	var out []string
	for i, line := range lines {
		if i == longDifference {
			return append(out, fmt.Sprintf("%s(%d more lines)", sign, len(lines)-i))
		}
		out = append(out, sign+line)
	}
	return out
}
