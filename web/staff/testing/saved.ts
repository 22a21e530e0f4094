import { vi } from 'vitest';

/** What the pages of a test give to the browser to keep, in order: see parts/save. */
export function keepSaved() {
  const saved: { name: string; type: string; text: () => Promise<string> }[] = [];
  let last = new Blob();
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    last = blob as Blob;
    return 'blob:saved';
  });
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    const blob = last;
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    const text = async () => decoder.decode(await blob.arrayBuffer());
    saved.push({ name: this.download, type: blob.type, text });
  });
  return saved;
}
