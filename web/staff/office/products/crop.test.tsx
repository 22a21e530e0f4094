import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import Crop from './crop';
import { editorTexts as w } from './texts/ru';

afterEach(() => vi.restoreAllMocks());

test.each([
  ['makes no file of it', (made: BlobCallback) => made(null)],
  [
    'gives nothing of it away',
    () => {
      throw new DOMException('tainted', 'SecurityError');
    },
  ],
])('a picture is said not to be cropped when the browser %s', async (_, toBlob) => {
  vi.spyOn(HTMLCanvasElement.prototype, 'toBlob').mockImplementation(toBlob);
  const upload = vi.fn();
  const picture = { src: '/media/a.jpg', width: 800, height: 600 };
  render(<Crop picture={picture} upload={upload} done={() => {}} close={() => {}} />);
  const image = document.querySelector('img') as HTMLImageElement;
  Object.defineProperties(image, { naturalWidth: { value: 800 }, naturalHeight: { value: 600 } });
  fireEvent.load(image);
  await userEvent.selectOptions(screen.getByLabelText(w.shape), '1/1');
  await userEvent.click(screen.getByRole('button', { name: w.crop }));
  await waitFor(() => expect(screen.getByRole('alert').textContent).toBe(w.notCropped));
  expect(upload).not.toHaveBeenCalled();
});
