import { render, screen } from '@testing-library/react';
import { Profiler } from 'react';
import { expect, test } from 'vitest';
import { useSteps } from './use-steps';

const seen: number[] = [];

function Form() {
  const drawn = useSteps(3);
  seen.push(drawn);
  return <p>{drawn}</p>;
}

test('one part is drawn after the other, and then no more', async () => {
  let commits = 0;
  render(
    <Profiler id="form" onRender={() => commits++}>
      <Form />
    </Profiler>,
  );
  expect(await screen.findByText('3')).toBeTruthy();
  expect([...new Set(seen)]).toEqual([1, 2, 3]);
  expect(commits).toBe(3);
});
