import type { Build } from '../api/types';
import { duration, percent, rate } from '../parts/format';
import { Progress } from '../parts/parts';

/** How far a build is, with what is left when somebody knows. */
export function BuildProgress({ build, short = false }: { build: Build; short?: boolean }) {
  const said = [percent(build.progress)];
  if (!short && build.state === 'running') said.push(`${rate(build.rate)} events/s`);
  if (build.eta_seconds !== null && build.state === 'running')
    said.push(`${duration(build.eta_seconds)} left`);
  return (
    <Progress value={build.progress} label={`${build.kind} of ${build.projection}`} text={said.join(' · ')} />
  );
}
