import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { openPage, signedIn } from '../../testing/open';

const courier = signedIn('courier', 'orders.deliver');
const stop = {
  id: '01a20160-593e-7398-aa87-bdc0b560fb24',
  number: 100_001,
  to_collect: 0,
  handed_over_at: '2026-11-24T05:00:00Z',
  delivered_at: null,
  packed_at: '2026-11-24T05:00:00Z',
  photos: 0,
  lines: [],
};
const label = 'Photo of the hand-over of order 100001';
const picture = new File(['x'], 'door.jpg', { type: 'image/jpeg' });

test('what is no picture is refused beside the field, and the next one is taken', async () => {
  let answer: object = { status: 400, body: { photo: ['Загрузите фотографию в формате PNG или JPEG'] } };
  const { user } = openPage(
    '/admin/stops',
    {
      'GET /api/staff/stops/': { day: '2026-11-24', orders: [stop] },
      'POST /api/staff/stops/100001/photos/': () => answer,
    },
    courier,
  );
  const field = await screen.findByLabelText<HTMLInputElement>(label);
  expect(field.getAttribute('capture')).toBe('environment');
  await user.upload(field, picture);
  const said = await screen.findByText('Загрузите фотографию в формате PNG или JPEG');
  expect(field.getAttribute('aria-describedby')).toBe(said.id);
  expect(field.getAttribute('aria-invalid')).toBe('true');
  answer = { status: 200 };
  await user.upload(field, picture);
  await waitFor(() => expect(field.disabled).toBe(false));
  expect(field.getAttribute('aria-invalid')).toBe('false');
  expect(screen.queryByText(/PNG или JPEG/)).toBeNull();
});
