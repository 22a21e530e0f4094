import { duration, percent, rate } from '../../staff/parts/format';
import { Progress } from '../../staff/parts/parts';
import type { Build } from '../api/types';

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
