/** The Russian plural form for a number: 1 отзыв, 2 отзыва, 5 отзывов. */
export function plural(count: number, one: string, few: string, many: string): string {
  const unit = count % 10;
  const ten = count % 100;
  if (unit === 1 && ten !== 11) return one;
  return unit >= 2 && unit <= 4 && (ten < 12 || ten > 14) ? few : many;
}
