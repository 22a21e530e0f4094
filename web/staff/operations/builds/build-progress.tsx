import { duration, percent, rate } from '../../parts/format';
import { Progress } from '../../parts/parts';
import type { Build } from '../api/types';
import { buildTexts } from '../texts/ru';
import { titleOf } from './words';

/** How far a build is, with what is left when somebody knows. */
export function BuildProgress({ build, short = false }: { build: Build; short?: boolean }) {
  const said = [percent(build.progress)];
  if (!short && build.state === 'running') said.push(buildTexts.perSecond(rate(build.rate)));
  if (build.eta_seconds !== null && build.state === 'running')
    said.push(buildTexts.left(duration(build.eta_seconds)));
  return <Progress value={build.progress} label={titleOf(build)} text={said.join(' · ')} />;
}
