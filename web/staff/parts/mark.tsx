import { classes } from '../../kit/design/classes';
import s from './mark.module.css';

/** How something is doing: each tone has a colour and a shape of its own, and the word beside it says it. */
export type Tone = 'good' | 'new' | 'way' | 'busy' | 'rest' | 'bad';

const shapes: Record<Tone, string> = {
  good: 'M6 1a5 5 0 1 1 0 10A5 5 0 0 1 6 1Z',
  new: 'M6 1a5 5 0 1 1 0 10A5 5 0 0 1 6 1Zm0 2a3 3 0 1 0 0 6 3 3 0 0 0 0-6Z',
  way: 'M6 1a5 5 0 1 1 0 10A5 5 0 0 1 6 1Zm0 2v6a3 3 0 0 1 0-6Z',
  busy: 'M6 1 11.5 10.5H.5Z',
  rest: 'M2 1.5h3v9H2zM7 1.5h3v9H7z',
  bad: 'M6 .2 11.8 6 6 11.8.2 6Z',
};

export function Mark({ tone, children }: { tone: Tone; children: string }) {
  return (
    <span className={classes(s.mark, s[tone])}>
      <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
        <path d={shapes[tone]} fill="currentColor" />
      </svg>
      {children}
    </span>
  );
}
