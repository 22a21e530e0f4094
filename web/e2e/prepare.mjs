import { rm } from 'node:fs/promises';
import { Shop } from './shop.mjs';

/** Runs before all tests: makes what each worker's shop begins with. What it returns runs after them. */
export default async function prepare() {
  const prepared = await Shop.prepare(120);
  // Workers inherit the environment.
  process.env.SHOP_E2E_PREPARED = prepared;
  return () => rm(prepared, { recursive: true, force: true });
}
