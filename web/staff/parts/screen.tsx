import type { FunctionComponent } from 'react';
import { onDemand } from '../../kit/design/on-demand';
import { Loading } from './parts';

/** A screen, or a large part of one, in a chunk of its own. */
export const screen = <Part extends FunctionComponent<never>>(load: () => Promise<{ default: Part }>) =>
  onDemand(load, <Loading />);
