import { expect, test } from 'vitest';
import { reviewSchema } from './review-schema';

const written = {
  rating: '5',
  content: 'Пахнет липой',
  name: 'Анна',
  email: 'anna@example.kz',
  phone: '+7 (701) 234-56-78',
};

test.each([null, ''])('stars that were not chosen (%j) are asked for like any other field', (rating) => {
  const { error } = reviewSchema.safeParse({ ...written, rating });
  expect(error?.issues.map(({ path, message }) => [path[0], message])).toEqual([
    ['rating', '* Заполните поле'],
  ]);
  expect(reviewSchema.safeParse(written).success).toBe(true);
});
