import { act, render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { Field, FormError } from './field';
import { langOf, type Message, serverMessage } from './message';

const field = (attempt?: number, error: Message = '* Заполните поле') => (
  <Field label="Имя" required attempt={attempt} error={error}>
    {(tied) => <input {...tied} />}
  </Field>
);
const inSight = () => !screen.getByRole('alert').className.includes('past');
const wait = (ms: number) => act(() => void vi.advanceTimersByTime(ms));

test('an error leaves sight two seconds after each attempt; its mark and its text for screen readers stay', () => {
  vi.useFakeTimers();
  const { rerender } = render(field(1));
  wait(1999);
  expect(inSight()).toBe(true);
  wait(1);
  expect(inSight()).toBe(false);
  const input = screen.getByLabelText('Имя');
  expect(input.getAttribute('aria-invalid')).toBe('true');
  expect(input.getAttribute('aria-describedby')).toBe(screen.getByText('* Заполните поле').id);
  rerender(field(2));
  expect(inSight()).toBe(true);
});

test('an error that comes again after an edit is seen again', () => {
  vi.useFakeTimers();
  const { rerender } = render(field(1));
  wait(2000);
  rerender(field(1, ''));
  rerender(field(1));
  expect(inSight()).toBe(true);
});

test('without attempts an error stays in sight', () => {
  vi.useFakeTimers();
  render(field());
  wait(10_000);
  expect(inSight()).toBe(true);
});

test('what the server said is marked as Russian, our own words are in the language of the page', () => {
  const spoken = () => screen.getAllByRole('alert').map((alert) => [alert.textContent, alert.lang]);
  const both = (said: Message) => (
    <>
      {field(undefined, said)}
      <FormError>{said}</FormError>
    </>
  );
  const { rerender } = render(both(serverMessage('E-mail занят')));
  expect(spoken()).toEqual(Array(2).fill(['E-mail занят', 'ru']));
  rerender(both({ type: 'too_small', message: '* Өрісті толтырыңыз' }));
  expect(spoken()).toEqual(Array(2).fill(['* Өрісті толтырыңыз', '']));
});

test('a Kazakh sentence of the server is not marked as Russian', () => {
  expect(langOf(serverMessage('Қаланы тізімнен таңдаңыз'))).toBeUndefined();
  expect(langOf(serverMessage('Выберите город из списка'))).toBe('ru');
});
