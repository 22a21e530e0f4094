import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { post } from '../../staff/api/client';
import { count, counted } from '../../staff/parts/format';
import { Confirm } from '../../staff/parts/parts';
import type { Build } from '../api/types';
import { differing, kinds } from './words';

/** What can be done with a build. */
export type BuildAction = 'pause' | 'resume' | 'cancel' | 'swap';

/** Says what an action will do, and does it once that was confirmed. */
export function AskBuild({ what, build, close }: { what: BuildAction; build: Build; close: () => void }) {
  const client = useQueryClient();
  const name = `${kinds[build.kind].toLowerCase()} of ${build.projection}`;
  const rows = build.differences ? differing(build.differences) : 0;
  const act = async () => {
    await post(`/api/ops/builds/${build.id}/${what}`);
    await Promise.all(
      [['build', String(build.id)], ['builds'], ['projections']].map((queryKey) =>
        client.invalidateQueries({ queryKey }),
      ),
    );
  };
  const ask: Record<BuildAction, { title: string; button: string; danger?: boolean; text: ReactNode }> = {
    pause: {
      title: `Pause the ${name}?`,
      button: 'Pause',
      text: 'It stops at once and keeps what it has. The live model is not touched. Resume goes on from there.',
    },
    resume: {
      title: `Resume the ${name}?`,
      button: 'Resume',
      text: `It goes on where it stopped, at ${count(build.events)} folded events.`,
    },
    cancel: {
      title: `Cancel the ${name}?`,
      button: 'Cancel the build',
      danger: true,
      text: (
        <>
          It stops for good, and the schema <b>{build.schema}</b> with all that was built in it is dropped.
          The live model is not touched.
        </>
      ),
    },
    swap: {
      title: `Swap ${build.projection}?`,
      button: 'Swap',
      danger: rows > 0,
      text: (
        <>
          The fresh model in <b>{build.schema}</b> takes the live one’s place in one short transaction;
          readers see it from their next query.{' '}
          {rows > 0 ? (
            <>
              <b>{counted(rows, 'row')}</b> will then read differently.{' '}
            </>
          ) : (
            'Nothing will read differently. '
          )}
          The old model is kept: Roll back on the projection brings it back.
        </>
      ),
    },
  };
  const { title, button, danger, text } = ask[what];
  return (
    <Confirm title={title} button={button} danger={danger} act={act} close={close}>
      <p>{text}</p>
    </Confirm>
  );
}
