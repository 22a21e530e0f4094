import { act, render, screen } from '@testing-library/react';
import { Component, type ReactNode, Suspense } from 'react';
import { expect, test } from 'vitest';
import { onDemand } from './on-demand';

function Said({ text }: { text: string }) {
  return <p>{text}</p>;
}

test('until a part is there something else is; then it is there at once', async () => {
  let arrive: (part: { default: typeof Said }) => void = () => {};
  const Part = onDemand<typeof Said>(
    () =>
      new Promise((arrived) => {
        arrive = arrived;
      }),
  );
  const { unmount } = render(
    <Suspense fallback="never">
      <Part text="меню" until="пока" />
    </Suspense>,
  );
  expect(screen.getByText('пока')).toBeTruthy();
  await act(async () => arrive({ default: Said }));
  expect(screen.getByText('меню').tagName).toBe('P');
  unmount();
  render(<Part text="снова" until="пока" />);
  expect(screen.getByText('снова')).toBeTruthy();
});

class Boundary extends Component<{ children: ReactNode }> {
  override state = { said: '' };
  static getDerivedStateFromError = (error: Error) => ({ said: error.message });
  override render = () => this.state.said || this.props.children;
}

test('a part that does not come is an error of its place; in another place it is asked for again', async () => {
  const answers = [() => Promise.reject(new Error('нет связи')), () => Promise.resolve({ default: Said })];
  const Part = onDemand<typeof Said>(() => (answers.shift() as () => Promise<{ default: typeof Said }>)());
  const { unmount } = render(
    <Boundary>
      <Part text="меню" />
    </Boundary>,
  );
  expect(await screen.findByText('нет связи')).toBeTruthy();
  unmount();
  render(<Part text="меню" />);
  expect(await screen.findByText('меню')).toBeTruthy();
});
