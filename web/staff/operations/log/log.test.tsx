import { act, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { Asked } from '../../../kit/testing/server';
import { to } from '../../../kit/testing/server';
import { event, open, Stream } from '../testing/open';

const api = '/api/ops/events';
/** Two pages of a log, and nothing new. */
const log = ({ query }: Asked) => {
  if (query.has('after')) return { head: 10, events: [], next: null };
  return query.get('before')
    ? { head: 10, events: [event({ position: 8 })], next: null }
    : { head: 10, events: [event(), event({ position: 9, type: 'order.paid' })], next: 9 };
};
const positions = () =>
  within(screen.getByRole('list', { name: 'Events, newest first' }))
    .getAllByRole('listitem')
    .map((item) => item.querySelector('summary span')?.textContent);

test('new events stand on top; who holds the list sees how many wait', async () => {
  const { user } = open('/ops/log', { [`GET ${api}`]: log });
  await screen.findByText('order.paid');
  act(() => {
    Stream.last.onopen?.();
    Stream.last.says('events', { events: [event({ position: 11 })] });
  });
  await waitFor(() => expect(positions()).toEqual(['11', '10', '9']));

  await user.click(screen.getByRole('button', { name: 'Pause' }));
  act(() => Stream.last.says('events', { events: [event({ position: 13 }), event({ position: 12 })] }));
  await user.click(await screen.findByRole('button', { name: '2 new events' }));
  expect(positions()).toEqual(['13', '12', '11', '10', '9']);

  await user.click(screen.getByRole('button', { name: 'Load older events' }));
  await waitFor(() => expect(positions()).toEqual(['13', '12', '11', '10', '9', '8']));
});

test('what the log is narrowed to stands in the address, in the question and in the stream', async () => {
  const { user, asked } = open('/ops/log?stream=order-1', { [`GET ${api}`]: log });
  await screen.findByText('order.paid');
  await user.type(screen.getByLabelText('Type'), 'order.placed');
  await user.click(screen.getByRole('button', { name: 'Filter' }));
  await waitFor(() =>
    expect(screen.getByTestId('address').textContent).toBe('/ops/log?stream=order-1&type=order.placed'),
  );
  await waitFor(() => {
    const last = asked.filter(to('GET', api)).at(-1)?.query;
    expect([last?.get('stream'), last?.get('type')]).toEqual(['order-1', 'order.placed']);
  });
  await waitFor(() => expect(Stream.last.url).toBe('/api/ops/live?stream=order-1&type=order.placed'));
  await user.click(screen.getByRole('button', { name: 'Show all' }));
  await waitFor(() => expect(screen.getByTestId('address').textContent).toBe('/ops/log'));
});

test('an event opens to its payload, with what is masked explained and links that narrow', async () => {
  const { user } = open('/ops/log', { [`GET ${api}`]: log });
  await user.click(await screen.findByText('order.paid'));
  expect(await screen.findByText(/Personal data, hidden from your role/)).toBeDefined();
  expect(screen.getByText('"•••"').tagName).toBe('MARK');
  expect(screen.getByText('Held: new events wait.')).toBeDefined();
  await user.click(screen.getByRole('link', { name: 'req-1' }));
  await waitFor(() => expect(screen.getByTestId('address').textContent).toBe('/ops/log?trace=req-1'));
});

test('while the stream is broken the log asks for what was missed', async () => {
  let appended = false;
  open('/ops/log', {
    [`GET ${api}`]: (asked: Asked) =>
      asked.query.get('after') === '10' && appended
        ? { head: 11, events: [event({ position: 11 })], next: null }
        : log(asked),
  });
  await screen.findByText('order.paid');
  appended = true;
  act(() => Stream.last.onerror?.());
  await waitFor(() => expect(positions()).toEqual(['11', '10', '9']));
});

test('an empty log, and nothing that fits', async () => {
  const nothing = { [`GET ${api}`]: { head: 0, events: [], next: null } };
  const first = open('/ops/log', nothing);
  expect(await screen.findByText('The log is empty')).toBeDefined();
  first.unmount();
  open('/ops/log?type=no.such', nothing);
  expect(await screen.findByText('No such event yet')).toBeDefined();
});
