// Package words reads the words that shoppers and catalogs write: their dictionary forms in Russian, their stems in Kazakh, what they
// sound like in either alphabet, what they are on the other keyboard layout, and how many slips are between two of them.
//
// The Russian dictionary is not in the repository: the build of the storefront takes it from an npm package (dictionary-ru, BSD-3-Clause) and
// puts it into the folder dictionary, from where it goes into the program. A program built without it strips endings by rules alone.
package words
