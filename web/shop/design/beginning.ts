/** About as much of a text as search engines show, cut at a word. */
export function beginning(text: string): string {
  const words = text.trim().replace(/\s+/g, ' ');
  if (words.length <= 160) return words;
  const cut = words.slice(0, 159).replace(/ [^ ]*$/, '');
  return `${cut.replace(/[ ,;:–—-]+$/, '')}…`;
}
