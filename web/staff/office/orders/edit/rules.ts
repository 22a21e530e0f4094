import * as z from 'zod/mini';
import { editTexts as w } from './texts/ru';

/** Text that must be there. */
export const needed = z.string().check(z.trim(), z.minLength(1, { error: () => w.needed }));

/** A whole number above 0, as it is typed. */
export const whole = z.string().check(z.regex(/^\s*[1-9]\d*\s*$/, { error: () => w.whole }));

/** The same, or nothing, or 0. */
export const wholeOrNone = z.string().check(z.regex(/^\s*\d*\s*$/, { error: () => w.whole }));
