import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Frame, type Way } from '../staff/frame';
import { useMay } from '../staff/me';
import { count } from '../staff/parts/format';
import { Mark, type Tone } from '../staff/parts/mark';
import x from '../staff/parts/text.module.css';
import { queries } from './api/queries';
import { type LiveState, useLive, usePolling } from './live';
import s from './shell.module.css';

const links: Record<LiveState, { tone: Tone; word: string; why: string }> = {
  connecting: { tone: 'rest', word: 'Connecting', why: 'The live stream is being opened.' },
  live: { tone: 'good', word: 'Live', why: 'What happens shows at once.' },
  polling: {
    tone: 'busy',
    word: 'Reconnecting',
    why: 'The live stream broke. The page asks every 3 seconds until it is back.',
  },
};

const ways: Way[] = [
  { to: '/ops/projections', name: 'Projections', needs: 'projections.see' },
  { to: '/ops/builds', name: 'Builds', needs: 'projections.see' },
  { to: '/ops/dead-letters', name: 'Dead letters', needs: 'projections.see', more: <Waiting /> },
  { to: '/ops/log', name: 'Log', needs: 'log.see' },
  { to: '/ops/health', name: 'Health', needs: 'health.see' },
];

/** The frame of every operators' screen. */
export function Shell({ children }: { children: ReactNode }) {
  return (
    <Frame ways={ways} aside={<Connection />}>
      {children}
    </Frame>
  );
}

function Connection() {
  const { tone, word, why } = links[useLive().state];
  return (
    <p className={s.live} role="status" title={why}>
      <Mark tone={tone}>{word}</Mark>
    </p>
  );
}

/** How many dead letters wait, beside the way to them. */
function Waiting() {
  const may = useMay('projections.see');
  const { data } = useQuery({ ...queries.projections(), refetchInterval: usePolling(), enabled: may });
  const letters = data?.projections.reduce((sum, { dead_letters }) => sum + dead_letters, 0) ?? 0;
  return letters > 0 ? (
    <span className={s.waiting}>
      {count(letters)}
      <span className={x.hidden}> waiting</span>
    </span>
  ) : null;
}
