import { act, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { renderPart } from '../../testing/render';
import { BannerSlider } from './banner-slider';

const slides = [
  { url: '/brands', file: '/img/spring.webp', alt: 'Весна' },
  { url: 'https://post.kz/', file: '/img/post.webp', alt: 'Почта' },
  { url: '', file: '/img/summer.webp', alt: 'Лето' },
];

test('the first banner is fetched at once, the others one by one before their turn', () => {
  vi.useFakeTimers();
  try {
    renderPart(<BannerSlider slides={slides} lang="ru" />);
    const fetched = () => [...document.querySelectorAll('img')].map((image) => image.getAttribute('src'));
    expect(screen.getByRole('link', { name: 'Весна' })).toBeDefined();
    expect(screen.getByRole('link', { name: 'Почта' }).getAttribute('href')).toBe('https://post.kz/');
    expect(new Set(fetched())).toEqual(new Set(['/img/spring.webp', null]));
    act(() => void vi.advanceTimersByTime(2_000));
    expect(new Set(fetched())).toEqual(new Set(['/img/spring.webp', '/img/post.webp', null]));
  } finally {
    vi.useRealTimers();
  }
});
