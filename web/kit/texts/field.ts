import { texts } from './catalogue';

/** Words of the fields of every form. */
export const fieldTexts = texts('fieldTexts', {
  optional: '(необязательно)',
});
