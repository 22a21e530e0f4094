import { act, fireEvent, screen } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { renderPart } from '../testing/render';
import { Rail } from './rail';

/** Seven tiles of 100 px, three in view. */
function open() {
  renderPart(
    <Rail kind="products" label="Популярное">
      {Array.from({ length: 7 }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the tiles are all alike
        <li key={at} />
      ))}
    </Rail>,
  );
  const row = screen.getByRole('list', { name: 'Популярное' });
  const box = { top: 100, bottom: 300 } as DOMRect;
  vi.spyOn(row, 'getBoundingClientRect').mockImplementation(() => box);
  Object.defineProperties(row, { clientWidth: { value: 300 }, scrollWidth: { value: 700 } });
  [...row.children].forEach((tile, at) => {
    Object.defineProperty(tile, 'offsetLeft', { value: 16 + at * 100 });
  });
  return { row, box };
}

const pass = (time: number) => act(() => vi.advanceTimersByTimeAsync(time));

beforeEach(async () => {
  await import('./turn');
  vi.useFakeTimers();
});

test('a row turns by one tile after 3 seconds, in 800 ms, and starts again at its end', async () => {
  const { row } = open();
  await pass(2999);
  expect(row.scrollLeft).toBe(0);
  await pass(401);
  expect(row.scrollLeft).toBeGreaterThan(0);
  expect(row.scrollLeft).toBeLessThan(100);
  await pass(450);
  expect(row.scrollLeft).toBe(100);
  await pass(3 * 3000 + 850);
  expect(row.scrollLeft).toBe(400);
  await pass(3000);
  expect(row.scrollLeft).toBe(0);
});

test('it stands still when stopped, held, behind a dialog, or out of sight', async () => {
  const { row, box } = open();
  fireEvent.click(screen.getByRole('button', { name: 'Остановить показ: Популярное' }));
  await pass(8000);
  expect(row.scrollLeft).toBe(0);
  fireEvent.click(screen.getByRole('button', { name: 'Продолжить показ: Популярное' }));
  fireEvent.pointerEnter(row.parentElement as HTMLElement);
  await pass(8000);
  expect(row.scrollLeft).toBe(0);
  fireEvent.pointerLeave(row.parentElement as HTMLElement);
  const dialog = document.body.appendChild(document.createElement('dialog'));
  dialog.open = true;
  await pass(8000);
  expect(row.scrollLeft).toBe(0);
  dialog.open = false;
  Object.assign(box, { top: 5000, bottom: 5200 });
  await pass(8000);
  expect(row.scrollLeft).toBe(0);
});

test('its buttons turn it by two tiles, and round its ends', async () => {
  const { row } = open();
  fireEvent.pointerEnter(row.parentElement as HTMLElement);
  const press = async (name: string) => {
    fireEvent.click(screen.getByRole('button', { name: `${name}: Популярное` }));
    await pass(900);
    return row.scrollLeft;
  };
  expect(await press('Вперёд')).toBe(200);
  expect(await press('Вперёд')).toBe(400);
  expect(await press('Вперёд')).toBe(0);
  expect(await press('Назад')).toBe(400);
});

test('for those who asked for less motion it turns only on request, and at once', async () => {
  vi.stubGlobal('matchMedia', () => ({
    matches: true,
    addEventListener: () => {},
    removeEventListener: () => {},
  }));
  const { row } = open();
  expect(screen.queryByRole('button', { name: /показ/ })).toBeNull();
  await pass(8000);
  expect(row.scrollLeft).toBe(0);
  fireEvent.click(screen.getByRole('button', { name: 'Вперёд: Популярное' }));
  await pass(20);
  expect(row.scrollLeft).toBe(200);
});

test('pictures that it turns to do not wait to be in sight themselves', () => {
  const told: IntersectionObserverCallback[] = [];
  class Nearness {
    constructor(callback: IntersectionObserverCallback) {
      told.push(callback);
    }
    observe() {}
    disconnect() {}
  }
  vi.stubGlobal('IntersectionObserver', Nearness);
  renderPart(
    <Rail kind="brands" label="Бренды">
      <li>
        <img src="/logo.svg" alt="Kalm" loading="lazy" />
      </li>
    </Rail>,
  );
  const logo = screen.getByRole<HTMLImageElement>('img', { name: 'Kalm' });
  const near = (isIntersecting: boolean) =>
    told[0]?.([{ isIntersecting } as IntersectionObserverEntry], {} as IntersectionObserver);
  near(false);
  expect(logo.loading).toBe('lazy');
  near(true);
  expect(logo.loading).toBe('eager');
  vi.unstubAllGlobals();
});
