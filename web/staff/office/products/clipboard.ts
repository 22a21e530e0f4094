/** The cells that a spreadsheet puts on the clipboard: tabs between cells, quotes around those with tabs, quotes or new lines. */
export function cellsOf(text: string): string[][] {
  const rows: string[][] = [[]];
  let cell = '';
  let quoted = false;
  const end = () => {
    (rows.at(-1) as string[]).push(cell);
    cell = '';
  };
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] as string;
    if (quoted) {
      if (sign !== '"') cell += sign;
      else if (text[at + 1] === '"') {
        cell += '"';
        at++;
      } else quoted = false;
    } else if (sign === '"' && cell === '') quoted = true;
    else if (sign === '\t') end();
    else if (sign === '\n') {
      end();
      rows.push([]);
    } else if (sign !== '\r') cell += sign;
  }
  if (cell || (rows.at(-1) as string[]).length > 0) end();
  else rows.pop();
  return rows;
}

/** Cells as a spreadsheet takes them. */
export const textOf = (rows: string[][]): string =>
  rows
    .map((cells) =>
      cells.map((cell) => (/["\t\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join('\t'),
    )
    .join('\n');
