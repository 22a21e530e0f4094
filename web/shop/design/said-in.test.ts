import { expect, test } from 'vitest';
import { saidIn } from './said-in';

test('a text is Kazakh only in an answer in Kazakh that does not name it', () => {
  expect(saidIn({}, 'name')).toBe('ru');
  expect(saidIn({ russian: ['name'] }, 'name')).toBe('ru');
  expect(saidIn({ russian: ['name'] }, 'description')).toBe('kk');
  expect(saidIn({ russian: [] }, 'name')).toBe('kk');
});
