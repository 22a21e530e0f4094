import * as z from 'zod/mini';
import type { Settings } from './queries';
import { settingsTexts as w } from './texts/ru';

const line = () => z.string().check(z.trim(), z.maxLength(200));
const needed = () => line().check(z.minLength(1, { error: () => w.needed }));
const both = () => z.object({ ru: line(), kk: line() });
const address = () =>
  line().check(
    z.refine((text) => text === '' || /^(\/(?!\/)|https:\/\/.)/.test(text), { error: () => w.badAddress }),
  );
const text = () => z.string().check(z.trim(), z.maxLength(2000));

const holidays = z.array(z.object({ date: needed(), name: both() })).check((context) => {
  context.value.forEach(({ date }, at) => {
    const first = context.value.findIndex((one) => one.date === date);
    if (date && first < at)
      context.issues.push({
        code: 'custom',
        message: w.twice,
        path: [at, 'date'],
        input: date,
      });
  });
});

/** How many entries a menu may have. */
export const mostEntries = 12;

const menu = () =>
  z
    .array(
      z.object({
        text: z.object({ ru: needed(), kk: line() }),
        address: address().check(z.minLength(1, { error: () => w.needed })),
      }),
    )
    .check(z.maxLength(mostEntries));

/** The form of the settings; days of the week are boxes, Monday first. */
export const settingsSchema = z.object({
  email: line().check(z.email({ error: () => w.badEmail })),
  phone: line(),
  hours: both(),
  legal_name: needed(),
  registration_number: line(),
  address: z.object({ ru: needed(), kk: line() }),
  pickup: both(),
  social_name: line(),
  social_url: address(),
  privacy_url: address(),
  offer_url: address(),
  offer_version: needed(),
  returns: z.object({ ru: text(), kk: text() }),
  weekdays: z
    .array(z.boolean())
    .check(z.refine((days) => days.some((closed) => !closed), { error: () => w.sixDays })),
  holidays,
  menu: menu(),
  footer_menu: menu(),
});

export type SettingsForm = z.infer<typeof settingsSchema>;

/** Settings as the form shows them. */
export const asForm = ({ no_delivery, menu = [], footer_menu = [], ...said }: Settings): SettingsForm => ({
  ...said,
  menu,
  footer_menu,
  weekdays: [1, 2, 3, 4, 5, 6, 7].map((day) => no_delivery.includes(day)),
});

/** What the form says, as settings; days in order. */
export const asSettings = ({ weekdays, holidays: days, ...said }: SettingsForm): Settings => ({
  ...said,
  no_delivery: weekdays.flatMap((closed, at) => (closed ? [at + 1] : [])),
  holidays: days.toSorted((a, b) => a.date.localeCompare(b.date)),
});
