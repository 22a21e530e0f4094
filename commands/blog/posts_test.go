package blog_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"shop/commands"
	"shop/commands/blog"
	"shop/commands/photos"
	"shop/commands/testshop"
	"shop/domain"
	"shop/domain/post"
)

func article(link, html string) post.Article {
	return post.Article{Link: link, Title: "Как читать состав", HTML: html}
}

func TestAPostIsKnownByItsLink(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	posts := &blog.Posts{Handler: s.Handler, Log: s.Log}
	does := func(want bool, refusal error) func(changed bool, err error) {
		return func(changed bool, err error) {
			t.Helper()
			if changed != want || !errors.Is(err, refusal) {
				t.Errorf("changed %v, %v", changed, err)
			}
		}
	}
	does(true, nil)(posts.Publish(t.Context(), article("inci", "<p>1</p>")))
	does(false, nil)(posts.Publish(t.Context(), article("inci", "<p>1</p>")))
	does(true, nil)(posts.Publish(t.Context(), article("inci", "<p>2</p>")))
	does(true, nil)(posts.Publish(t.Context(), article("spf", "<p>3</p>")))
	does(false, post.ErrLinkTaken)(posts.Change(t.Context(), "spf", article("inci", "<p>4</p>")))
	does(false, post.ErrUnknown)(posts.Change(t.Context(), "toner", article("toner", "<p>4</p>")))
	does(true, nil)(posts.Change(t.Context(), "inci", article("sostav", "<p>5</p>")))
	does(false, post.ErrUnknown)(posts.Unpublish(t.Context(), "inci"))
	// The link is free again, for another post.
	does(true, nil)(posts.Publish(t.Context(), article("inci", "<p>6</p>")))
	does(true, nil)(posts.Unpublish(t.Context(), "sostav"))
	does(false, nil)(posts.Unpublish(t.Context(), "sostav"))
	does(false, post.ErrNotPublished)(posts.Change(t.Context(), "sostav", article("sostav", "<p>7</p>")))
	does(true, nil)(posts.Publish(t.Context(), article("sostav", "<p>5</p>")))
	testshop.EqualText(t, "history", s.Posts(), []string{
		"published inci <p>1</p>", "changed inci <p>2</p>", "published spf <p>3</p>", "changed sostav <p>5</p>",
		"published inci <p>6</p>", "unpublished", "published sostav <p>5</p>",
	})
}

func TestAPostIsSanitisedWhoeverWritesIt(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	posts := &blog.Posts{Handler: s.Handler, Log: s.Log}
	hostile := `<p onclick="a()">Да<script>alert(1)</script><a href="javascript:a()">тут</a></p>`
	if _, err := posts.Publish(t.Context(), article("inci", hostile)); err != nil {
		t.Fatal(err)
	}
	if _, err := posts.Change(t.Context(), "inci", article("inci", hostile+"<iframe src=/></iframe>!")); err != nil {
		t.Fatal(err)
	}
	testshop.EqualText(t, "history", s.Posts(), []string{"published inci <p>Датут</p>", "changed inci <p>Датут</p>!"})
}

func TestADryRunOfPostsWritesNothing(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	posts := &blog.Posts{Handler: s.Handler, Log: s.Log}
	if _, err := posts.Publish(t.Context(), article("inci", "<p>1</p>")); err != nil {
		t.Fatal(err)
	}
	dry := &blog.Posts{Handler: s.Handler, Log: s.Log, DryRun: true}
	for _, c := range []struct {
		link, html string
		want       bool
	}{{"inci", "<p>1</p>", false}, {"inci", "<p>2</p>", true}, {"spf", "<p>2</p>", true}} {
		if changed, err := dry.Publish(t.Context(), article(c.link, c.html)); changed != c.want || err != nil {
			t.Errorf("%s %s: %v, %v", c.link, c.html, changed, err)
		}
	}
	late := article("spf", "<p>2</p>")
	late.PublishedAt = testshop.Noon.Add(time.Hour)
	if _, err := dry.Publish(t.Context(), late); !errors.Is(err, post.ErrFuture) {
		t.Error(err)
	}
	testshop.EqualText(t, "history", s.Posts(), []string{"published inci <p>1</p>"})
}

// TestTwoWhoPublishALinkAtOncePublishOnePost: each has a process of its own.
func TestTwoWhoPublishALinkAtOncePublishOnePost(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	var both sync.WaitGroup
	for range 8 {
		both.Go(func() {
			posts := &blog.Posts{Handler: commands.New(s.Log, commands.Options{Clock: s.Clock.Now}), Log: s.Log}
			if _, err := posts.Publish(t.Context(), article("inci", "<p>1</p>")); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	testshop.EqualText(t, "history", s.Posts(), []string{"published inci <p>1</p>"})
}

func TestPicturesOfAPostAreHeldWhileItNamesThem(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	reviews, _ := s.Reviews(t)
	pictures := make([]photos.Photo, 2)
	posts := &blog.Posts{Handler: s.Handler, Log: s.Log}
	posts.Store = func(ctx context.Context, post domain.ID) (err error) {
		for i := range pictures {
			if err == nil {
				pictures[i], err = reviews.Album.AddOwn(ctx, post, strings.NewReader(testshop.Photo(50+i)))
			}
		}
		return err
	}
	names := func(i int) string { return `<p><img src="` + photos.OwnURL(pictures[i].ID, 50+i) + `"/></p>` }
	held := func(want ...bool) {
		t.Helper()
		for i, p := range pictures {
			if held, err := reviews.HoldsPhoto(t.Context(), commands.MadeOf("post", "inci"), p.ID); held != want[i] || err != nil {
				t.Errorf("picture %d: %v, %v", i, held, err)
			}
		}
	}
	posts.DryRun = true
	if _, err := posts.Publish(t.Context(), article("inci", "<p>1</p>")); err != nil || pictures[0].Width != 0 {
		t.Errorf("a dry run stored %+v, %v", pictures, err)
	}
	posts.DryRun = false
	if _, err := posts.Publish(t.Context(), article("inci", "<p>1</p>")); err != nil {
		t.Fatal(err)
	}
	held(false, false)
	if _, err := posts.Change(t.Context(), "inci", article("inci", names(0))); err != nil {
		t.Fatal(err)
	}
	held(true, false)
	shown := article("inci", "<p>1</p>")
	shown.Picture = photos.OwnURL(pictures[1].ID, 51)
	if _, err := posts.Publish(t.Context(), shown); err != nil {
		t.Fatal(err)
	}
	held(false, true)
}
