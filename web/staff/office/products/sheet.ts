import * as z from 'zod/mini';
import { answer } from '../../../kit/api/answer';
import { api, fileBody } from '../../api/client';
import type { components } from '../../api/schema';
import { asked } from '../desk/as-of';
import { alike } from './fields';
import { editorTexts as w } from './texts/ru';

type Schemas = components['schemas'];
export type ProductSheet = Schemas['ProductSheet'];
export type Picture = Schemas['CatalogPicture'];

/** The texts of a product, in the order of its page. */
export const textFields = [
  'name',
  'description',
  'composition',
  'apply_method',
  'package_size',
  'made_in',
  'expires',
] as const;
export const kazakhFields = [
  'name',
  'description',
  'apply_method',
  'package_size',
  'made_in',
  'expires',
] as const;
export const measures = ['weight', 'length', 'width', 'height'] as const;

/** Whether the last digit of a barcode fits the others (GS1 General Specifications, 7.9). */
export function checkedDigit(gtin: string): boolean {
  const digits = [...gtin].reverse().map(Number);
  return digits.reduce((sum, digit, at) => sum + digit * (at % 2 === 1 ? 3 : 1), 0) % 10 === 0;
}

const whole = (least: number, most: number) =>
  z.string().check(
    z.trim(),
    z.refine(
      (text) => text === '' || (/^\d{1,10}$/.test(text) && Number(text) >= least && Number(text) <= most),
      { error: () => w.bounds(least, most) },
    ),
  );
const price = () => whole(1, 1_000_000_000);
const text = z.string().check(z.maxLength(100_000));

/** What the form of a product holds: everything as it is typed. */
export const sheetSchema = z
  .object({
    name: z.string().check(z.trim(), z.minLength(1, { error: () => w.needed }), z.maxLength(500)),
    description: text,
    composition: text,
    apply_method: text,
    package_size: text,
    made_in: text,
    expires: text,
    kazakh: z.object({
      name: z.string().check(z.maxLength(500)),
      description: text,
      apply_method: text,
      package_size: text,
      made_in: text,
      expires: text,
    }),
    price: price().check(z.minLength(1, { error: () => w.needed })),
    discounted_price: price(),
    category_id: z.string().check(z.minLength(1, { error: () => w.needed })),
    brand_id: z.string(),
    marks: z.array(z.string()),
    archived: z.boolean(),
    shelf: z.string().check(z.maxLength(20)),
    low_line: whole(0, 1_000_000),
    gtin: z.string().check(
      z.overwrite((typed) => typed.replace(/[\s-]/g, '')),
      z.refine((gtin) => gtin === '' || (/^(\d{8}|\d{12,14})$/.test(gtin) && checkedDigit(gtin)), {
        error: () => w.badGtin,
      }),
    ),
    measure: z.object({
      weight: whole(0, 1_000_000),
      length: whole(0, 10_000),
      width: whole(0, 10_000),
      height: whole(0, 10_000),
    }),
    cost: whole(0, 1_000_000_000),
    pictures: z.array(z.custom<Picture>()),
  })
  .check(
    z.refine((form) => form.discounted_price === '' || Number(form.discounted_price) <= Number(form.price), {
      path: ['discounted_price'],
      error: () => w.abovePrice,
    }),
  );
export type SheetForm = z.input<typeof sheetSchema>;
export type SheetValues = z.output<typeof sheetSchema>;

/** A product as its form begins. */
export const formOf = (sheet: ProductSheet): SheetForm => ({
  ...sheet,
  price: String(sheet.price),
  discounted_price: sheet.discounted_price === sheet.price ? '' : String(sheet.discounted_price),
  category_id: sheet.category_id ?? '',
  brand_id: sheet.brand_id ?? '',
  measure: {
    weight: String(sheet.measure.weight || ''),
    length: String(sheet.measure.length || ''),
    width: String(sheet.measure.width || ''),
    height: String(sheet.measure.height || ''),
  },
  low_line: sheet.low_line === null ? '' : String(sheet.low_line),
  cost: sheet.cost ? String(sheet.cost) : '',
});

/** An item of a change of this product. */
export type SheetItem = { thing: 'product'; id: string; field: string; was: unknown; now: unknown };

/** What a form changes of a product, one item for each field. */
export function changesOf(sheet: ProductSheet, form: SheetValues): SheetItem[] {
  const price = Number(form.price);
  const now: Record<string, unknown> = {
    ...Object.fromEntries(textFields.map((field) => [field, form[field]])),
    price,
    discounted_price: form.discounted_price === '' ? price : Number(form.discounted_price),
    category_id: form.category_id || null,
    brand_id: form.brand_id || null,
    marks: form.marks,
    archived: form.archived,
    shelf: form.shelf.trim(),
    low_line: form.low_line === '' ? null : Number(form.low_line),
    gtin: form.gtin,
    measure: Object.fromEntries(measures.map((one) => [one, Number(form.measure[one])])),
    kazakh: { ...sheet.kazakh, ...form.kazakh },
    pictures: form.pictures,
    ...(sheet.cost === null ? {} : { cost: Number(form.cost) }),
  };
  return Object.entries(now).flatMap(([field, value]) => {
    const was = sheet[field as keyof ProductSheet];
    return alike(was, value) ? [] : [{ thing: 'product' as const, id: sheet.id, field, was, now: value }];
  });
}

const of = (article: string) => ({ params: { path: { article } } });

/** A product now, or at a moment: a time or a position of the log. */
export const sheetOf = (article: string, at = '', signal?: AbortSignal) =>
  answer(
    api.GET('/api/staff/products/{article}/', {
      params: { path: { article }, query: asked(at) },
      ...(signal ? { signal } : {}),
    }),
  );

export const addProduct = (body: Schemas['NewProduct']) => answer(api.POST('/api/staff/products/', { body }));

/** Keeps a picture in the shop's sizes; the product has it once its pictures are changed. */
export const addPicture = (article: string, file: File) =>
  answer(
    api.POST('/api/staff/products/{article}/pictures/', {
      ...of(article),
      ...fileBody(file),
    }),
  );
