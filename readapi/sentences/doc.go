// Package sentences has in other languages what the server tells: shoppers in Kazakh, staff in Russian, Kazakh and English. The sentences
// themselves are where they are decided, for shoppers in Russian and for staff in English.
package sentences
