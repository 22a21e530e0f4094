package search

import "testing"

// Who asks for a kind finds those first whose categories say it too.
func TestSearchPutsFirstWhatTheCategorySaysToo(t *testing.T) {
	t.Parallel()
	x := shelf(t, "", Product{Article: "AB-6", Name: "Шампунь детский", Category: "Для детей"}, Product{Article: "AB-7", Name: "Шампунь яичный", Category: "Шампуни"})
	finds(t, x, map[string]string{"шампунь": "76"})
}

// What a description says again, goods are really for.
func TestSearchCountsHowOftenANeedIsSaid(t *testing.T) {
	t.Parallel()
	x := shelf(t, "? spots | Пятна | Дақтар | дақ | светлее, ровный тон",
		Product{Article: "AB-6", Name: "Мист", Description: "Кожа светлее."}, Product{Article: "AB-7", Name: "Мист ночной", Description: "Кожа светлее. Ночью работает, даёт ровный тон."})
	finds(t, x, map[string]string{"дақ": "76"})
}

// An adjective against a need says the need, though no dictionary has it.
func TestSearchReadsAdjectivesAgainstNeeds(t *testing.T) {
	t.Parallel()
	x := shelf(t, "? cellulite | Апельсиновая корка | Целлюлит | целлюлит | антицеллюлитный",
		Product{Article: "AB-6", Name: "Скраб", Description: "И целлюлит."}, Product{Article: "AB-7", Name: "Гель антицеллюлитный"})
	finds(t, x, map[string]string{"от целлюлита": "76"})
}

// What follows "after" in a need is not said by what is for it before.
func TestSearchTellsAfterInNeeds(t *testing.T) {
	t.Parallel()
	x := shelf(t, "~ после\n? after | Потом | Кейін | после загара | охлаждает, sun",
		Product{Article: "AB-6", Name: "Масло sun загар"}, Product{Article: "AB-7", Name: "Молочко после загара"}, Product{Article: "AB-8", Name: "Молочко", Description: "После загара."})
	finds(t, x, map[string]string{"после загара": "786"})
}

// Beside a need the face is asked for by its name, and answered by what is for no other part of the body.
func TestSearchReadsTheFaceBesideNeeds(t *testing.T) {
	t.Parallel()
	x := shelf(t, "~ для, от\n& elsewhere = рука\n? oily | Жирная | Майлы | жирная кожа | от блеска",
		Product{Article: "AB-6", Name: "Маска для лица", Description: "От блеска."}, Product{Article: "AB-7", Name: "Тоник для жирной кожи"}, Product{Article: "AB-8", Name: "Крем для рук от блеска"})
	finds(t, x, map[string]string{"для жирной кожи лица": "768"})
}

// A word of the language that no goods have is heard as the one beside which it makes sense.
func TestSearchHearsWordsThatNoGoodsHave(t *testing.T) {
	t.Parallel()
	x := shelf(t, "~ для\nпатчи для глаз = eye patch\n? scale | Накипь | Қақ | потечь | накипь", Product{Article: "AB-6", Name: "Патчи для глаз"}, Product{Article: "AB-7", Name: "Крем для глаз", Description: "Не накипь."})
	finds(t, x, map[string]string{"потчи для глаз": "6"})
}

// A description says what is in goods after a verb that says so, and where it explains what that is.
func TestSearchReadsWhatGoodsHold(t *testing.T) {
	t.Parallel()
	x := shelf(t, "", Product{Article: "AB-6", Name: "Бальзам", Description: "В основе лежит ланолин."}, Product{Article: "AB-7", Name: "Тоник", Description: "Ланолин – природный воск."},
		Product{Article: "AB-8", Name: "Мист", Description: "Не то что ланолин."})
	finds(t, x, map[string]string{"ланолин": "67"})
}

// Of goods that lack one thing of those asked for, those come first that are called as a phrase says.
func TestSearchPutsPhrasesBeforeNeeds(t *testing.T) {
	t.Parallel()
	x := shelf(t, "~ для\nкрем для ног = foot cream\n? soft | Мягко | Жұмсақ | смягчающий | смягчает", Product{Article: "AB-6", Name: "Смягчающий крем"}, Product{Article: "AB-7", Name: "Крем для ног"},
		Product{Article: "AB-8", Name: "Смягчающий крем для ног"})
	finds(t, x, map[string]string{"смягчающий крем для ног": "8" + "76"})
}

// A need of one part of the body is no need of another.
func TestSearchPutsOtherPartsOfTheBodyLast(t *testing.T) {
	t.Parallel()
	x := shelf(t, "~ от, под\n& eyes = глаз\n& feet = нога\n? swellings | Отёки | Ісіну | отёки, >отёк &eyes | дренаж", Product{Article: "AB-6", Name: "Гель для ног дренаж"},
		Product{Article: "AB-7", Name: "Гель для глаз", Description: "Дренаж."})
	finds(t, x, map[string]string{"от отёков под глазами": "76", "отёки": "67"})
}

// A gift is a kind of its own, unless the search says what is given.
func TestSearchReadsGiftsBesideWhatIsGiven(t *testing.T) {
	t.Parallel()
	x := shelf(t, "~ маме, в, подарок\n! подарок маме > подарочный набор", Product{Article: "AB-6", Name: "Подарочный набор"}, Product{Article: "AB-7", Name: "Духи"})
	finds(t, x, map[string]string{"подарок маме": "6", "духи в подарок маме": "7"})
}
