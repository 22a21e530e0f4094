/**
 * +7 (7xx) xxx-xx-xx from whatever has been typed or pasted. A leading 8 is the same as +7; ten digits pasted without
 * either are the number itself. No area code begins with 0, so a 7 before a 0 is the number's own: 701.
 */
export function maskPhone(typed: string): string {
  const digits = typed.replace(/\D/g, '');
  if (!digits) return '';
  const whole = digits.length === 10 && !typed.includes('+');
  const rest = /^[78]/.test(digits) && !whole ? digits.slice(1) : digits;
  const national = (rest.startsWith('0') ? `7${rest}` : rest).slice(0, 10);
  let masked = '+7';
  if (national) masked += ` (${national.slice(0, 3)}`;
  if (national.length > 3) masked += `) ${national.slice(3, 6)}`;
  if (national.length > 6) masked += `-${national.slice(6, 8)}`;
  if (national.length > 8) masked += `-${national.slice(8, 10)}`;
  return masked;
}

/** As it is stored and sent: +7 and ten digits, no spaces, dashes or brackets. */
export const barePhone = (masked: string): string => masked.replace(/[^\d+]/g, '');

export const isWholePhone = (masked: string): boolean => /^\+7\d{10}$/.test(barePhone(masked));

/**
 * Where the caret belongs after masking: behind as many digits as it was behind before. The mask may have put a 7 in
 * front of what was typed.
 */
export function caretAfterMask(typed: string, caret: number, masked: string): number {
  if (caret >= typed.length) return masked.length;
  const count = (text: string) => text.replace(/\D/g, '').length;
  let left = count(typed.slice(0, caret)) + (count(masked) > count(typed) ? 1 : 0);
  let at = 0;
  while (left > 0 && at < masked.length) {
    if (/\d/.test(masked.charAt(at))) left -= 1;
    at += 1;
  }
  return at;
}
