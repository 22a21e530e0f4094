import { useQueryClient } from '@tanstack/react-query';
import { done } from '../../../kit/api/answer';
import { Rich } from '../../../kit/texts/rich';
import { api } from '../../api/client';
import { count } from '../../parts/format';
import { Confirm } from '../../parts/parts';
import { countTexts } from '../../texts/ru';
import type { Build } from '../api/types';
import { buildTexts } from '../texts/ru';
import { differing, titleOf } from './words';

/** What can be done with a build. */
export type BuildAction = 'pause' | 'resume' | 'cancel' | 'swap';

/** Says what an action will do, and does it once that was confirmed. */
export function AskBuild({ what, build, close }: { what: BuildAction; build: Build; close: () => void }) {
  const client = useQueryClient();
  const { title, button, danger, text } = asked(what, build);
  const act = async () => {
    await done(api.POST(`/api/ops/builds/{id}/${what}/`, { params: { path: { id: build.id } } }));
    await Promise.all(
      [['build', String(build.id)], ['builds'], ['projections']].map((queryKey) =>
        client.invalidateQueries({ queryKey }),
      ),
    );
  };
  return (
    <Confirm title={title} button={button} danger={danger} act={act} close={close}>
      <p>
        <Rich text={text} />
      </p>
    </Confirm>
  );
}

function asked(
  what: BuildAction,
  build: Build,
): { title: string; button: string; danger?: boolean; text: string } {
  const t = buildTexts;
  const name = titleOf(build);
  const rows = build.differences ? differing(build.differences) : 0;
  switch (what) {
    case 'pause':
      return { title: t.pauseTitle(name), button: t.pause, text: t.pauseText };
    case 'resume':
      return { title: t.resumeTitle(name), button: t.resume, text: t.resumeText(count(build.events)) };
    case 'cancel':
      return {
        title: t.cancelTitle(name),
        button: t.cancelButton,
        danger: true,
        text: t.cancelText(build.schema),
      };
    case 'swap':
      return {
        title: t.swapTitle(build.projection),
        button: t.swap,
        danger: rows > 0,
        text: [
          t.swapText(build.schema),
          rows > 0 ? t.swapDiffers(countTexts.rows(rows)) : t.swapSame,
          t.swapKept,
        ].join(' '),
      };
  }
}
