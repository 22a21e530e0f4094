import * as z from 'zod/mini';
import { isWholePhone } from '../../design/phone';
import { formTexts } from '../../texts/form';

// Messages are functions: they are read when they are shown.
const empty = { error: () => formTexts.required, abort: true };

/** A text that must be there. */
export const filled = () => z.string().check(z.trim(), z.minLength(1, empty));

/** A password as it was typed, spaces and all. */
export const password = () => z.string().check(z.minLength(1, empty));

export const email = () =>
  z
    .string()
    .check(
      z.trim(),
      z.minLength(1, empty),
      z.regex(/^[^\s@]+@[^\s@]+\.[^\s@]{2,}$/, { error: () => formTexts.emailWrong }),
    );

/** A masked number, all digits there. */
export const phone = () =>
  z.string().check(
    z.minLength(1, empty),
    z.refine((typed: string) => isWholePhone(typed), { error: () => formTexts.phoneIncomplete }),
  );

/** A password to be. */
export const newPassword = () =>
  z.string().check(z.minLength(1, empty), z.minLength(8, { error: () => formTexts.passwordShort }));

/** How the repetition of a password is marked when it differs. */
export const differs = (repetition: string) => ({
  error: () => formTexts.passwordsDiffer,
  path: [repetition],
});
