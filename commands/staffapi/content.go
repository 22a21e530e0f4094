package staffapi

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/changes"
	"shop/domain/catalog"
	"shop/domain/content"
	"shop/domain/document"
	"shop/domain/post"
	"shop/domain/staff"
	"shop/readapi"
	"shop/readapi/endpoint"
	reads "shop/readapi/staff"
)

// Content are the calls of staff about what the shop says: blocks, pages, documents and the blog. They are changed by changes.
type Content struct {
	Handler  *commands.Handler
	Settings *commands.Settings
	Shop     reads.Shop
	Past     reads.Past
	// Picture keeps an image of the shop in its sizes; it refuses as photos.Album does.
	Picture func(ctx context.Context, image io.ReadSeeker) (catalog.Picture, error)
}

// Routes adds its calls. What a call reads is as new as the client's last write.
func (s *Content) Routes(r chi.Router, allowed endpoint.Guard, fresh func(projections ...string) func(http.Handler) http.Handler) {
	r.Method("GET", "/api/staff/content", allowed(staff.ChangeContent, s.list))
	r.Method("POST", "/api/staff/content/preview", allowed(staff.ChangeContent, s.preview))
	r.Method("POST", "/api/staff/content/pictures", allowed(staff.ChangeContent, s.addPicture))
	r.Method("GET", "/api/staff/posts", fresh("posts")(allowed(staff.ChangeContent, s.posts)))
	r.Method("GET", "/api/staff/posts/{id}", allowed(staff.ChangeContent, s.post))
}

// blockKind says how a block is edited.
type blockKind string

const (
	slidesBlock blockKind = "slides"
	plainBlock  blockKind = "text"
	pageBlock   blockKind = "page"
)

// mainSlider is the block of the home page's slides.
const mainSlider = "main-slider"

// contentBlock is a block as it is edited: of a page Text is what its text was made of.
type contentBlock struct {
	Name   string          `json:"name"`
	Kind   blockKind       `json:"kind"`
	Text   string          `json:"text"`
	Slides []content.Slide `json:"slides"`
	// Default is what the page says while Text is empty.
	Default string `json:"default"`
}

// list is GET /api/staff/content/?at=: every block that the shop shows.
func (s *Content) list(w http.ResponseWriter, r *http.Request) error {
	log, err := handlerOf(r, s.Past, s.Handler)
	if err != nil {
		return err
	}
	blocks := []contentBlock{
		{Name: mainSlider, Kind: slidesBlock}, {Name: content.Kazakh(mainSlider), Kind: slidesBlock},
		{Name: content.DiscountText, Kind: plainBlock}, {Name: content.Kazakh(content.DiscountText), Kind: plainBlock},
	}
	for _, page := range content.Pages {
		for _, name := range []string{page, content.Kazakh(page)} {
			blocks = append(blocks, contentBlock{Name: name, Kind: pageBlock, Default: readapi.DefaultText(name)})
		}
	}
	_, err = log.Do(r.Context(), false, func(u *commands.Unit) error {
		var refs []commands.Ref
		for _, b := range blocks {
			refs = append(refs, commands.ContentStream(b.Name))
		}
		if err := u.Load(refs...); err != nil {
			return err
		}
		for i, b := range blocks {
			state := commands.ContentStream(b.Name).State(u)
			blocks[i].Slides, blocks[i].Text = append([]content.Slide{}, state.Slides...), state.Text
			if content.IsPage(b.Name) {
				blocks[i].Text = cmp.Or(state.Source, state.Text)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	documents, err := s.documents(r.Context(), log)
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, map[string]any{"results": blocks, "documents": documents})
	return nil
}

// editedDocument is a document as it is edited.
type editedDocument struct {
	Name string `json:"name"`
	// Version is the last that was published; empty: there was none.
	Version string `json:"version"`
	// Text is null while the program's own text is in force, which Default and DefaultKK are, as HTML.
	Text      *changes.Wording `json:"text"`
	Default   changes.Written  `json:"default"`
	DefaultKK changes.Written  `json:"default_kk"`
}

func (s *Content) documents(ctx context.Context, log *commands.Handler) (all []editedDocument, err error) {
	said, err := (&commands.Settings{Handler: log, Stated: s.Settings.Stated}).Show(ctx)
	if err != nil {
		return nil, err
	}
	shop := readapi.ShopView{
		LegalName: said.Settings.LegalName, RegistrationNumber: said.Settings.RegistrationNumber,
		Address: said.Settings.Address.RU, AddressKK: said.Settings.Address.KK, Email: said.Settings.Email,
	}
	_, err = log.Do(ctx, false, func(u *commands.Unit) error {
		all = nil
		if err := u.Load(commands.DocumentStream(document.Privacy), commands.DocumentStream(document.Offer)); err != nil {
			return err
		}
		for _, name := range document.Names {
			state := commands.DocumentStream(name).State(u)
			edited := editedDocument{Name: name, Version: state.Version, Text: changes.WordingOf(state)}
			edited.Default.Title, edited.Default.Source = readapi.BuiltInDocument(name, false, shop)
			edited.DefaultKK.Title, edited.DefaultKK.Source = readapi.BuiltInDocument(name, true, shop)
			all = append(all, edited)
		}
		return nil
	})
	return all, err
}

// preview is POST /api/staff/content/preview/: what shoppers would see of a text. Nothing is written.
func (s *Content) preview(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		Source string `json:"source"`
	}
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	html, err := changes.Rendered(asked.Source)
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	endpoint.WriteJSON(w, http.StatusOK, map[string]string{"html": html})
	return nil
}

// addPicture is POST /api/staff/content/pictures/ with an image as its body: the picture in the shop's sizes.
func (s *Content) addPicture(w http.ResponseWriter, r *http.Request) error {
	return takePicture(w, r, s.Picture)
}

// posts is GET /api/staff/posts/?at=: the blog, also what is out of sight.
func (s *Content) posts(w http.ResponseWriter, r *http.Request) error {
	found, err := seen(r, s.Past, s.Shop, func(ctx context.Context, shop reads.Shop) ([]reads.PostLine, error) { return shop.Posts(ctx, 1_000, 0) })
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, map[string]any{"results": append([]reads.PostLine{}, found...)})
	return nil
}

// staffPost is a post with what it says, as changes have it, also while it is out of sight.
type staffPost struct {
	ID        uuid.UUID `json:"id"`
	Published bool      `json:"published"`
	// PublishedAt is the date that shoppers see.
	PublishedAt time.Time        `json:"published_at"`
	Article     *changes.Article `json:"article"`
}

// post is GET /api/staff/posts/{id}/?at=.
func (s *Content) post(w http.ResponseWriter, r *http.Request) error {
	id, err := uuid.Parse(r.PathValue("id"))
	if err != nil {
		return post.ErrUnknown
	}
	log, err := handlerOf(r, s.Past, s.Handler)
	if err != nil {
		return err
	}
	state, err := commands.See(r.Context(), log, commands.PostStream(id))
	if err != nil {
		return err
	}
	if !state.Exists() {
		return post.ErrUnknown
	}
	shown := state
	shown.Published = true
	endpoint.WriteJSON(w, http.StatusOK, staffPost{id, state.Published, state.Article.PublishedAt, changes.ArticleOf(shown)})
	return nil
}
