import type { FunctionComponent } from 'react';
import { onDemand } from '../../kit/design/on-demand';
import { Loading } from './parts';

/** A screen, or a large part of one, in a module that is fetched when it is first shown; name is what the module calls it. */
export const screen = <Name extends string, Module extends Record<Name, FunctionComponent<never>>>(
  load: () => Promise<Module>,
  name: Name,
) => onDemand(async () => ({ default: (await load())[name] }), <Loading />);
