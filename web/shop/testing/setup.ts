import { beforeEach } from 'vitest';
import { forgetPosition } from '../api/position';
import { session } from '../api/session';
import { basket } from '../features/basket/basket-store';

beforeEach(() => {
  basket.clear();
  session.end();
  forgetPosition();
});
