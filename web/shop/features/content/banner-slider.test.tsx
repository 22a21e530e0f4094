import { act, fireEvent, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { renderPart } from '../../testing/render';
import { BannerSlider } from './banner-slider';

const slides = [
  { url: '/brands', file: '/img/spring.webp', alt: 'Весна' },
  { url: '', file: '/img/summer.webp', alt: 'Лето' },
];

test('no banner is fetched before the shopper touches the page, and the others follow one by one', () => {
  vi.useFakeTimers();
  try {
    renderPart(<BannerSlider slides={slides} />);
    const fetched = () => [...document.querySelectorAll('img')].map((image) => image.getAttribute('src'));
    act(() => void vi.advanceTimersByTime(10_000));
    expect(fetched()).toEqual([]);
    expect(screen.getByRole('link', { name: 'Весна' })).toBeDefined();
    fireEvent.pointerDown(window);
    expect(new Set(fetched())).toEqual(new Set(['/img/spring.webp']));
    act(() => void vi.advanceTimersByTime(2_000));
    expect(new Set(fetched())).toEqual(new Set(['/img/spring.webp', '/img/summer.webp']));
  } finally {
    vi.useRealTimers();
  }
});
