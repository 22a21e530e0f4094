// Package papers makes the papers of orders as PDF: packing slips and invoices on A4 or on a roll of 80 mm, and labels with a code
// that scanners read. Texts are set in DejaVu Sans, which has the letters of Russian and Kazakh.
package papers
