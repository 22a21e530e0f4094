import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test } from 'vitest';
import { barePhone, caretAfterMask, isWholePhone, maskPhone } from './phone';
import { PhoneInput } from './phone-input';

function Phone() {
  const [value, setValue] = useState('+7 (701) 123-45-67');
  return <PhoneInput aria-label="Телефон" value={value} onValue={setValue} />;
}

test.each([
  ['', ''],
  ['7', '+7'],
  ['8', '+7'],
  ['+7701', '+7 (701'],
  ['+70', '+7 (70'],
  ['87011234567', '+7 (701) 123-45-67'],
  ['+7 701 123 45 67', '+7 (701) 123-45-67'],
  ['7011234567', '+7 (701) 123-45-67'],
  ['9011234567', '+7 (901) 123-45-67'],
  ['870112345678999', '+7 (701) 123-45-67'],
  ['letters', ''],
])('%s is masked as %s', (typed, masked) => {
  expect(maskPhone(typed)).toBe(masked);
});

test('it is sent without spaces, dashes and brackets', () => {
  expect(barePhone('+7 (701) 123-45-67')).toBe('+77011234567');
  expect(isWholePhone('+7 (701) 123-45-67')).toBe(true);
  expect(isWholePhone('+7 (701) 123-45-6')).toBe(false);
});

test('the caret stays behind the digit that was typed', () => {
  expect(caretAfterMask('+7 (7091) 123-45-67', 7, '+7 (709) 112-34-56')).toBe(7);
  expect(caretAfterMask('7', 1, '+7')).toBe(2);
  expect(caretAfterMask('9', 0, '+7 (9')).toBe(2);
});

test('a number typed without its country code is taken as it is', async () => {
  const user = userEvent.setup();
  render(<Phone />);
  const input = screen.getByLabelText<HTMLInputElement>('Телефон');
  await user.clear(input);
  await user.type(input, '7012223344');
  expect(input.value).toBe('+7 (701) 222-33-44');
});

test('one may correct a digit in the middle', async () => {
  const user = userEvent.setup();
  render(<Phone />);
  const input = screen.getByLabelText<HTMLInputElement>('Телефон');
  await user.click(input);
  input.setSelectionRange(6, 7);
  await user.keyboard('9');
  expect(input.value).toBe('+7 (709) 123-45-67');
  expect(input.selectionStart).toBe(7);
});
