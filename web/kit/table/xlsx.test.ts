import { expect, test } from 'vitest';
import type { Column } from './table';
import { xlsxOf } from './xlsx';

type Row = { name: string; price: number | null };
const columns: Column<Row>[] = [
  { key: 'name', title: 'Товар', cell: () => null, value: ({ name }) => name },
  { key: 'price', title: 'Цена', cell: () => null, value: ({ price }) => price },
];

/** The files of an archive, found by its directory as unpackers find them. */
function unpacked(archive: Uint8Array): Record<string, string> {
  const view = new DataView(archive.buffer);
  const end = archive.length - 22;
  expect(view.getUint32(end, true)).toBe(0x06054b50);
  const files: Record<string, string> = {};
  let at = view.getUint32(end + 16, true);
  for (let n = view.getUint16(end + 10, true); n > 0; n--) {
    expect(view.getUint32(at, true)).toBe(0x02014b50);
    const nameLength = view.getUint16(at + 28, true);
    const size = view.getUint32(at + 24, true);
    const local = view.getUint32(at + 42, true);
    const name = new TextDecoder().decode(archive.subarray(at + 46, at + 46 + nameLength));
    expect(view.getUint32(local, true)).toBe(0x04034b50);
    const from = local + 30 + nameLength;
    files[name] = new TextDecoder().decode(archive.subarray(from, from + size));
    at += 46 + nameLength;
  }
  expect(at).toBe(end);
  return files;
}

test('rows become a workbook in which numbers are numbers and nothing is a formula', () => {
  const files = unpacked(
    xlsxOf(columns, [
      { name: '=1+1 <b> & "Ә"\u0001', price: 9_000 },
      { name: '', price: null },
    ]),
  );
  expect(Object.keys(files)).toContain('[Content_Types].xml');
  const sheet = files['xl/worksheets/sheet1.xml'] ?? '';
  expect(sheet).toContain('<c r="A1" t="inlineStr"><is><t xml:space="preserve">Товар</t></is></c>');
  expect(sheet).toContain('<t xml:space="preserve">=1+1 &lt;b&gt; &amp; "Ә"</t>');
  expect(sheet).toContain('<c r="B2"><v>9000</v></c>');
  expect(sheet).toContain('<row r="3"></row>');
  const xml = new DOMParser().parseFromString(sheet, 'application/xml');
  expect(xml.querySelector('parsererror')).toBeNull();
});

test('columns beyond the twenty-sixth have names of two letters', () => {
  const many = Array.from(
    { length: 28 },
    (_, n): Column<number> => ({ key: `c${n}`, title: `c${n}`, cell: () => null, value: () => n }),
  );
  const sheet = unpacked(xlsxOf(many, [0]))['xl/worksheets/sheet1.xml'] ?? '';
  for (const at of ['Z2', 'AA2', 'AB2']) expect(sheet).toContain(`r="${at}"`);
});
