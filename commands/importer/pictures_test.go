package importer_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/importer"
	"shop/commands/importer/catalogfile"
	"shop/commands/photos"
	"shop/commands/testshop"
)

func TestPicturesThatAreFilesBecomeTheShopsOwn(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	reviews, stores := s.Reviews(t)
	folder := t.TempDir()
	for name, content := range map[string]string{"krem.jpg": testshop.Photo(900), "front/krem-2.JPG": testshop.Photo(60), "text.png": "no picture", "cut.jpg": testshop.Photo(300)[:200]} {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc/hostname", filepath.Join(folder, "outside.jpg")); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	const goods = "article;name;category;price;pictures\n" +
		"P-1;Крем;Лицо;7900;krem.jpg | front/krem-2.JPG | https://x.kz/a.jpg\n" +
		"P-2;Гель;Лицо;1590;text.png\nP-3;Мыло;Лицо;1590;cut.jpg\nP-4;Тоник;Лицо;1590;lost.jpg\nP-5;Соль;Лицо;1590;outside.jpg\n"
	imported := func(dryRun bool, files *importer.PictureFiles) (importer.Report, string) {
		t.Helper()
		file, err := catalogfile.Open(strings.NewReader(goods), "goods.csv", catalogfile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var refused []string
		report, err := (&importer.Catalog{Handler: s.Handler, Log: s.Log}).Import(t.Context(), file, importer.Options{
			DryRun: dryRun, Files: files, Refused: func(e *catalogfile.RowError) { refused = append(refused, e.Error()) },
		})
		if err != nil {
			t.Fatal(err)
		}
		return report, strings.Join(refused, "\n")
	}
	files := &importer.PictureFiles{Folder: root, Album: reviews.Album}

	rehearsed, _ := imported(true, files)
	if rehearsed.Added != 1 || testshop.Stored(t, stores) != 0 {
		t.Errorf("a dry run: %+v, %d files", rehearsed, testshop.Stored(t, stores))
	}
	first, refused := imported(false, files)
	for line, want := range []string{`line 3, pictures: "text.png" is neither PNG nor JPEG`, `line 4, pictures: "cut.jpg" is neither PNG nor JPEG`,
		`line 5, pictures: "lost.jpg" is not in the folder`, `line 6, pictures: "outside.jpg" cannot be opened`} {
		if !strings.Contains(refused, want) {
			t.Errorf("row %d: %q is not in\n%s", line, want, refused)
		}
	}
	if first.Added != 1 || first.Refused != 4 || first.Events != rehearsed.Events || testshop.Stored(t, stores) != 8 {
		t.Errorf("%+v after %+v, %d files", first, rehearsed, testshop.Stored(t, stores))
	}
	product := importer.ProductID("P-1")
	state, err := commands.See(t.Context(), s.Handler, commands.ProductStream(product))
	if err != nil || len(state.Pictures) != 3 {
		t.Fatalf("%+v, %v", state.Pictures, err)
	}
	large := state.Pictures[0]
	id := uuid.MustParse(large.Src[len("/media/"):][:32])
	if large.Src != photos.OwnURL(id, 800) || large.Width != 900 || large.Height != 10 || len(large.Sources) != 2 ||
		large.Sources[0].Type != "image/webp" || strings.Count(large.Sources[0].Srcset, ".webp ") != 3 || !strings.HasSuffix(large.Sources[1].Srcset, "-own-900.jpg 900w") {
		t.Errorf("%+v", large)
	}
	if state.Pictures[2].Src != "https://x.kz/a.jpg" {
		t.Errorf("%+v", state.Pictures[2])
	}
	if shown, err := reviews.ShowsPhoto(t.Context(), product, id); !shown || err != nil {
		t.Errorf("the picture is shown: %v, %v", shown, err)
	}
	if shown, err := reviews.ShowsPhoto(t.Context(), product, uuid.New()); shown || err != nil {
		t.Errorf("a picture that the product has not is shown: %v, %v", shown, err)
	}

	if again, _ := imported(false, files); again.Unchanged != 1 || again.Events != 0 || testshop.Stored(t, stores) != 8 {
		t.Errorf("again: %+v, %d files", again, testshop.Stored(t, stores))
	}
	if none, refused := imported(false, nil); none.Refused != 5 || !strings.Contains(refused, `"krem.jpg" is a file`) {
		t.Errorf("without a folder: %+v\n%s", none, refused)
	}
}
