package search

import "testing"

// What searches put before what: words of the lexicon, goods beside those of the shelf, and what queries find, best first.
func TestSearchRanks(t *testing.T) {
	t.Parallel()
	for rule, of := range map[string]struct {
		words string
		goods []Product
		finds map[string]string
	}{
		"Who asks for a kind finds those first whose categories say it too": {
			"",
			[]Product{{Article: "AB-6", Name: "Шампунь детский", Category: "Для детей"}, {Article: "AB-7", Name: "Шампунь яичный", Category: "Шампуни"}},
			map[string]string{"шампунь": "76"},
		},
		"What a description says again, goods are really for": {
			"? spots | Пятна | Дақтар | дақ | светлее, ровный тон",
			[]Product{
				{Article: "AB-6", Name: "Мист", Description: "Кожа светлее."},
				{Article: "AB-7", Name: "Мист ночной", Description: "Кожа светлее. Ночью работает, даёт ровный тон."},
			},
			map[string]string{"дақ": "76"},
		},
		"An adjective against a need says the need, though no dictionary has it": {
			"? cellulite | Апельсиновая корка | Целлюлит | целлюлит | антицеллюлитный",
			[]Product{{Article: "AB-6", Name: "Скраб", Description: "И целлюлит."}, {Article: "AB-7", Name: "Гель антицеллюлитный"}},
			map[string]string{"от целлюлита": "76"},
		},
		"What follows 'after' in a need is not said by what is for it before": {
			"~ после\n? after | Потом | Кейін | после загара | охлаждает, sun",
			[]Product{{Article: "AB-6", Name: "Масло sun загар"}, {Article: "AB-7", Name: "Молочко после загара"}, {Article: "AB-8", Name: "Молочко", Description: "После загара."}},
			map[string]string{"после загара": "786"},
		},
		"Beside a need the face is asked for by its name, and answered by what is for no other part of the body": {
			"~ для, от\n& elsewhere = рука\n? oily | Жирная | Майлы | жирная кожа | от блеска",
			[]Product{
				{Article: "AB-6", Name: "Маска для лица", Description: "От блеска."},
				{Article: "AB-7", Name: "Тоник для жирной кожи"},
				{Article: "AB-8", Name: "Крем для рук от блеска"},
			},
			map[string]string{"для жирной кожи лица": "768"},
		},
		"A word of the language that no goods have is heard as the one beside which it makes sense": {
			"~ для\nпатчи для глаз = eye patch\n? scale | Накипь | Қақ | потечь | накипь",
			[]Product{{Article: "AB-6", Name: "Патчи для глаз"}, {Article: "AB-7", Name: "Крем для глаз", Description: "Не накипь."}},
			map[string]string{"потчи для глаз": "6"},
		},
		"A description says what is in goods after a verb that says so, and where it explains what that is": {
			"",
			[]Product{
				{Article: "AB-6", Name: "Бальзам", Description: "В основе лежит ланолин."},
				{Article: "AB-7", Name: "Тоник", Description: "Ланолин – природный воск."},
				{Article: "AB-8", Name: "Мист", Description: "Не то что ланолин."},
			},
			map[string]string{"ланолин": "67"},
		},
		"Of goods that lack one thing of those asked for, those come first that are called as a phrase says": {
			"~ для\nкрем для ног = foot cream\n? soft | Мягко | Жұмсақ | смягчающий | смягчает",
			[]Product{{Article: "AB-6", Name: "Смягчающий крем"}, {Article: "AB-7", Name: "Крем для ног"}, {Article: "AB-8", Name: "Смягчающий крем для ног"}},
			map[string]string{"смягчающий крем для ног": "8" + "76"},
		},
		"A need of one part of the body is no need of another": {
			"~ от, под\n& eyes = глаз\n& feet = нога\n? swellings | Отёки | Ісіну | отёки, >отёк &eyes | дренаж",
			[]Product{{Article: "AB-6", Name: "Гель для ног дренаж"}, {Article: "AB-7", Name: "Гель для глаз", Description: "Дренаж."}},
			map[string]string{"от отёков под глазами": "76", "отёки": "67"},
		},
		"A gift is a kind of its own, unless the search says what is given": {
			"~ маме, в, подарок\n! подарок маме > подарочный набор",
			[]Product{{Article: "AB-6", Name: "Подарочный набор"}, {Article: "AB-7", Name: "Духи"}},
			map[string]string{"подарок маме": "6", "духи в подарок маме": "7"},
		},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			finds(t, shelf(t, of.words, of.goods...), of.finds)
		})
	}
}
