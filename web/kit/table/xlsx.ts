import type { Column, Value } from './table';

const types = 'http://schemas.openxmlformats.org';
const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';

/** The parts of a workbook of one sheet beside the sheet itself (ECMA-376, part 1). */
const parts: Record<string, string> = {
  '[Content_Types].xml': `${head}<Types xmlns="${types}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>`,
  '_rels/.rels': `${head}<Relationships xmlns="${types}/package/2006/relationships"><Relationship Id="rId1" Type="${types}/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `${head}<workbook xmlns="${types}/spreadsheetml/2006/main" xmlns:r="${types}/officeDocument/2006/relationships"><sheets><sheet name="1" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `${head}<Relationships xmlns="${types}/package/2006/relationships"><Relationship Id="rId1" Type="${types}/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
};

/** Rows as a workbook of one sheet: numbers are numbers, everything else is text, so that nothing is taken for a formula. */
export function xlsxOf<R>(columns: Column<R>[], rows: R[]): Uint8Array<ArrayBuffer> {
  const lines = [
    columns.map(({ title }): Value => title),
    ...rows.map((row) => columns.map(({ value }) => value?.(row))),
  ];
  const data = lines
    .map(
      (cells, at) =>
        `<row r="${at + 1}">${cells.map((value, column) => cell(`${letters(column)}${at + 1}`, value)).join('')}</row>`,
    )
    .join('');
  return zip({
    ...parts,
    'xl/worksheets/sheet1.xml': `${head}<worksheet xmlns="${types}/spreadsheetml/2006/main"><sheetData>${data}</sheetData></worksheet>`,
  });
}

function cell(at: string, value: Value): string {
  if (value === null || value === undefined || value === '') return '';
  if (typeof value === 'number') return `<c r="${at}"><v>${value}</v></c>`;
  return `<c r="${at}" t="inlineStr"><is><t xml:space="preserve">${escaped(String(value))}</t></is></c>`;
}

// XML has no way to write most control characters.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is left out
const unwritable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

const escaped = (text: string) =>
  text.replace(unwritable, '').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The name of a column: A to Z, AA and on. */
function letters(column: number): string {
  const last = String.fromCharCode(65 + (column % 26));
  return column < 26 ? last : letters(Math.floor(column / 26) - 1) + last;
}

const table = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let bit = 0; bit < 8; bit++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});

function crc(bytes: Uint8Array): number {
  let c = 0xffffffff;
  for (const byte of bytes) c = (table[(c ^ byte) & 255] as number) ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

/** The day that all entries have: 1 January 2020, as ZIP writes days. */
const day = ((2020 - 1980) << 9) | (1 << 5) | 1;

/** Files in a ZIP archive, as they are (APPNOTE 6.3.10): a workbook of the grid is small. */
function zip(files: Record<string, string>): Uint8Array<ArrayBuffer> {
  const write = new TextEncoder();
  const entries = Object.entries(files).map(([name, text]) => ({
    name: write.encode(name),
    body: write.encode(text),
  }));
  const length = entries.reduce((sum, { name, body }) => sum + 76 + 2 * name.length + body.length, 22);
  const out = new Uint8Array(length);
  const view = new DataView(out.buffer);
  let at = 0;
  const short = (...values: number[]) => {
    for (const value of values) {
      view.setUint16(at, value, true);
      at += 2;
    }
  };
  const long = (...values: number[]) => {
    for (const value of values) {
      view.setUint32(at, value, true);
      at += 4;
    }
  };
  const put = (bytes: Uint8Array) => {
    out.set(bytes, at);
    at += bytes.length;
  };
  /** What both headers of an entry say: version 2.0, the name in UTF-8, stored, its day, sum and sizes, the name's length. */
  const described = ({ name, body }: (typeof entries)[number]) => {
    short(20, 0x0800, 0, 0, day);
    long(crc(body), body.length, body.length);
    short(name.length, 0);
  };
  const begins = entries.map((entry) => {
    const begin = at;
    long(0x04034b50);
    described(entry);
    put(entry.name);
    put(entry.body);
    return begin;
  });
  const central = at;
  for (const [n, entry] of entries.entries()) {
    long(0x02014b50);
    short(20);
    described(entry);
    short(0, 0, 0);
    long(0, begins[n] as number);
    put(entry.name);
  }
  const end = at;
  long(0x06054b50);
  short(0, 0, entries.length, entries.length);
  long(end - central, central);
  short(0);
  return out;
}
