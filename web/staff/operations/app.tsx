import type { QueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, useEffect } from 'react';
import { Navigate, Route, Routes } from 'react-router';
import type { Permission } from '../staff/api/types';
import { Needs, Screen, StaffApp } from '../staff/app';
import { useMe } from '../staff/me';
import { Nothing } from '../staff/parts/parts';
import { LiveProvider } from './live';
import { Projections } from './projections/projections';
import { Shell } from './shell';

const parts = {
  builds: () => import('./builds/builds'),
  build: () => import('./builds/build'),
  letters: () => import('./deadletters/dead-letters'),
  letter: () => import('./deadletters/dead-letter'),
  log: () => import('./log/log'),
  health: () => import('./health/health'),
};
const Builds = lazy(() => parts.builds().then(({ Builds }) => ({ default: Builds })));
const BuildPage = lazy(() => parts.build().then(({ BuildPage }) => ({ default: BuildPage })));
const DeadLetters = lazy(() => parts.letters().then(({ DeadLetters }) => ({ default: DeadLetters })));
const DeadLetterPage = lazy(() => parts.letter().then(({ DeadLetterPage }) => ({ default: DeadLetterPage })));
const Log = lazy(() => parts.log().then(({ Log }) => ({ default: Log })));
const Health = lazy(() => parts.health().then(({ Health }) => ({ default: Health })));

const operations = { name: 'Operations', home: '/ops' };

export function App({ client }: { client: QueryClient }) {
  return (
    <StaffApp client={client} page={operations}>
      <LiveProvider>
        <Shell>
          <Screen>
            <Screens />
          </Screen>
        </Shell>
      </LiveProvider>
    </StaffApp>
  );
}

function Screens() {
  // Every screen is loaded ahead: an operator changes between them most when the shop is in trouble.
  useEffect(() => {
    for (const part of Object.values(parts)) part().catch(() => {});
  }, []);
  const needs = (permission: Permission, screen: ReactNode) => (
    <Needs permission={permission}>{screen}</Needs>
  );
  const { permissions } = useMe();
  const first =
    permissions.includes('log.see') && !permissions.includes('projections.see')
      ? '/ops/log'
      : '/ops/projections';
  return (
    <Routes>
      <Route path="/ops" element={<Navigate to={first} replace />} />
      <Route path="/ops/projections" element={needs('projections.see', <Projections />)} />
      <Route path="/ops/builds" element={needs('projections.see', <Builds />)} />
      <Route path="/ops/builds/:id" element={needs('projections.see', <BuildPage />)} />
      <Route path="/ops/dead-letters" element={needs('projections.see', <DeadLetters />)} />
      <Route
        path="/ops/dead-letters/:projection/:position"
        element={needs('projections.see', <DeadLetterPage />)}
      />
      <Route path="/ops/log" element={needs('log.see', <Log />)} />
      <Route path="/ops/health" element={needs('health.see', <Health />)} />
      <Route path="*" element={<Nothing title="There is no such screen">Choose one above.</Nothing>} />
    </Routes>
  );
}
