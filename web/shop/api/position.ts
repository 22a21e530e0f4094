/**
 * The highest event position that any answer has named. Every read sends it, so that what the shopper has just done
 * is already in what they see next. It outlives a reload in the tab's session storage.
 */
const storageKey = 'dala.position';

let highest = '';

/** Decimal strings without leading zeros: a longer one is higher. Positions may pass 2^53. */
export const isAbove = (a: string, b: string): boolean =>
  a.length > b.length || (a.length === b.length && a > b);

export function noticePosition(value: string | null): void {
  if (!value || !/^\d+$/.test(value) || !isAbove(value, currentPosition())) return;
  highest = value;
  try {
    sessionStorage.setItem(storageKey, value);
  } catch {
    // Storage may be closed to us; the position then lives as long as the page.
  }
}

/** Empty when nothing has been written yet. */
export function currentPosition(): string {
  if (highest) return highest;
  try {
    highest = sessionStorage.getItem(storageKey) ?? '';
  } catch {
    highest = '';
  }
  return highest;
}

/** Forgets the position, for tests. */
export function forgetPosition(): void {
  highest = '';
  sessionStorage.removeItem(storageKey);
}
