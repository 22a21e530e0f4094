// Package sheetfile turns an Excel workbook into the CSV that catalogfile reads: its first sheet, values alone. A workbook with
// macros is refused, and so is one that is much larger than it looks.
package sheetfile
