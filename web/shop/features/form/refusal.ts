import type { FieldPath, FieldValues, UseFormReturn } from 'react-hook-form';
import { Problem } from '../../../kit/api/problem';
import { type Message, serverMessage } from '../../../kit/design/message';
import { formTexts } from '../../texts/form';

/** What the server says of passwords that would be guessed first, in the language of the page. */
const translated: Record<string, () => string> = {
  'Этот пароль слишком часто встречается. Придумайте другой': () => formTexts.passwordCommon,
  'Пароль не должен состоять из e-mail, имени или названия магазина': () => formTexts.passwordOwn,
};

/** What the server said of a field: in the language of the page where it is known, else in the server's. */
function ofField(message: string | undefined) {
  const text = translated[message ?? ''];
  return text ? { message: text() } : serverMessage(message);
}

/** What the server said, in one sentence. */
export function sentence(error: unknown): Message {
  if (!(error instanceof Problem)) return formTexts.failed;
  const message = error.detail ?? Object.values(error.fields).join(' ');
  return message ? serverMessage(message) : formTexts.failed;
}

/**
 * Puts what the server refused beside the fields it names, and the focus on the first of them. What belongs to no
 * field stands as the form's own error.
 */
export function showRefusal<F extends FieldValues, V>(form: UseFormReturn<F, unknown, V>, error: unknown) {
  const { fields, detail } =
    error instanceof Problem ? error : { fields: {} as Record<string, string>, detail: undefined };
  const names = Object.keys(form.getValues()) as FieldPath<F>[];
  const known = names.filter((name) => name in fields);
  for (const name of known) form.setError(name, ofField(fields[name]));
  if (known[0]) form.setFocus(known[0]);
  const other = Object.entries(fields).flatMap(([name, said]) =>
    names.includes(name as FieldPath<F>) ? [] : [said],
  );
  const rest = detail ?? other.join(' ');
  if (rest) form.setError('root', serverMessage(rest));
  else if (known.length === 0) form.setError('root', { message: formTexts.failed });
}
