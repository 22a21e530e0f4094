import { render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { Dialog } from './dialog';

const dialog = (open: boolean) => (
  <Dialog open={open} onClose={() => {}} label="Меню">
    {null}
  </Dialog>
);

test('a page without a scrollbar keeps no room for one, and the style of its elements stays', () => {
  const { style } = document.documentElement;
  const page = vi.spyOn(document.documentElement, 'clientWidth', 'get').mockReturnValue(innerWidth - 15);
  const set = vi.spyOn(style, 'setProperty');
  const { rerender } = render(dialog(true));
  expect(style.getPropertyValue('--scrollbar')).toBe('15px');
  rerender(dialog(false));
  page.mockReturnValue(innerWidth);
  set.mockClear();
  rerender(dialog(true));
  expect(style.getPropertyValue('--scrollbar')).toBe('');
  expect(set).not.toHaveBeenCalled();
});

test('what is marked data-close closes its own dialog, and none around it', () => {
  const closed: string[] = [];
  render(
    <Dialog open onClose={() => closed.push('outer')} label="Меню">
      <Dialog open onClose={() => closed.push('inner')} label="Вопрос">
        <button type="button" data-close="">
          <span>Закрыть</span>
        </button>
      </Dialog>
    </Dialog>,
  );
  const [outer, inner] = screen.getAllByRole<HTMLDialogElement>('dialog');
  screen.getByText('Закрыть').click();
  expect([outer?.open, inner?.open]).toEqual([true, false]);
  expect(closed).toEqual(['inner']);
});
