import { type ReactNode, useEffect } from 'react';
import { Navigate, Route, Routes } from '../../kit/router/router';
import type { Permission } from '../api/types';
import { RequirePermission, Screen } from '../app';
import { useMe } from '../me';
import { Nothing } from '../parts/parts';
import { screen } from '../parts/screen';
import { appTexts } from '../texts/ru';
import { LiveProvider } from './live';
import { Projections } from './projections/projections';
import { Shell, ways } from './shell';

const parts = {
  actions: () => import('./projections/actions'),
  builds: () => import('./builds/builds'),
  build: () => import('./builds/build'),
  letters: () => import('./deadletters/dead-letters'),
  letter: () => import('./deadletters/dead-letter'),
  log: () => import('./log/log'),
  security: () => import('./security/security'),
  health: () => import('./health/health'),
};
const Builds = screen(parts.builds, 'Builds');
const BuildPage = screen(parts.build, 'BuildPage');
const DeadLetters = screen(parts.letters, 'DeadLetters');
const DeadLetterPage = screen(parts.letter, 'DeadLetterPage');
const Log = screen(parts.log, 'Log');
const Security = screen(parts.security, 'Security');
const Health = screen(parts.health, 'Health');

/** How the machine does: read models, builds, dead letters, the log, the database. */
export function Operations() {
  return (
    <LiveProvider>
      <Shell>
        <Screen>
          <Screens />
        </Screen>
      </Shell>
    </LiveProvider>
  );
}

function Screens() {
  // Every screen is loaded ahead: an operator changes between them most when the shop is in trouble.
  useEffect(() => {
    for (const part of Object.values(parts)) part().catch(() => {});
  }, []);
  const needs = (permission: Permission, screen: ReactNode) => (
    <RequirePermission permission={permission}>{screen}</RequirePermission>
  );
  const { permissions } = useMe();
  const first = ways.find(({ needs }) => !needs || permissions.includes(needs))?.to ?? '/ops/projections';
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
      <Route path="/ops/security" element={needs('security.see', <Security />)} />
      <Route path="/ops/health" element={needs('health.see', <Health />)} />
      <Route path="*" element={<Nothing title={appTexts.noScreen}>{appTexts.chooseAbove}</Nothing>} />
    </Routes>
  );
}
