import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import x from '../../kit/design/text.module.css';
import { Frame, type Way } from '../frame';
import { useMay } from '../me';
import { count } from '../parts/format';
import { Mark, type Tone } from '../parts/mark';
import { queries } from './api/queries';
import { type LiveState, useLive, usePolling } from './live';
import { securityTexts } from './security/texts/ru';
import s from './shell.module.css';
import { shellTexts } from './texts/ru';

const links: Record<LiveState, { tone: Tone; word: () => string; why: () => string }> = {
  connecting: { tone: 'rest', word: () => shellTexts.connecting, why: () => shellTexts.connectingWhy },
  live: { tone: 'good', word: () => shellTexts.live, why: () => shellTexts.liveWhy },
  polling: { tone: 'busy', word: () => shellTexts.polling, why: () => shellTexts.pollingWhy },
};

/** The screens of operations, in the order of the navigation. */
export const ways: Way[] = [
  { to: '/ops/projections', name: () => shellTexts.projections, needs: 'projections.see' },
  { to: '/ops/builds', name: () => shellTexts.builds, needs: 'projections.see' },
  {
    to: '/ops/dead-letters',
    name: () => shellTexts.deadLetters,
    needs: 'projections.see',
    more: () => <Waiting />,
  },
  { to: '/ops/log', name: () => shellTexts.log, needs: 'log.see' },
  { to: '/ops/security', name: () => securityTexts.way, needs: 'security.see' },
  { to: '/ops/health', name: () => shellTexts.health, needs: 'health.see' },
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
    <p className={s.live} role="status" title={why()}>
      <Mark tone={tone}>{word()}</Mark>
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
      <span className={x.hidden}> {shellTexts.waiting}</span>
    </span>
  ) : null;
}
