import * as z from 'zod/mini';
import { isWholePhone } from '../../design/phone';
import { reviewTexts } from '../../texts/review';

/** Photographs of one review. */
export const maxPhotos = 6;

/** Bytes of one photograph. */
export const maxPhotoBytes = 10 << 20;

export const photoTypes: readonly string[] = ['image/png', 'image/jpeg'];

const required = () => reviewTexts.required;
const needed = () => z.string().check(z.trim(), z.minLength(1, { error: required, abort: true }));

/** Nothing is sent while one of these is empty or wrong. */
export const reviewSchema = z.object({
  // A radio group without a choice is null in browsers.
  rating: z.string({ error: required }).check(z.minLength(1, { error: required })),
  content: needed(),
  name: needed(),
  email: needed().check(z.regex(/^[^\s@]+@[^\s@]+\.[^\s@]{2,}$/, { error: () => reviewTexts.emailWrong })),
  phone: needed().check(z.refine(isWholePhone, { error: () => reviewTexts.phoneIncomplete })),
});

/** The form as it is filled in; rating is '1' to '5', or empty before the choice. */
export type ReviewForm = z.infer<typeof reviewSchema>;
