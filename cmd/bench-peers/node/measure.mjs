// The plan of measure.go for peers that run in Node, with its figures on the standard output.
import { setTimeout as sleep } from 'node:timers/promises';

const clients = [1, 8, 32];

export const quantile = (of, q) => {
  const sorted = [...of].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0;
};

export const note = '7'.padStart(300, '0');

// peer.append(stream, id, version) adds one event; peer.follow(seen) starts a reader and answers how to stop it, or is missing.
export async function measure(plan, peer) {
  const answered = new Map();
  let number = 0;
  const write = async (stream, version) => {
    const id = (++number).toString(16).padStart(32, '0');
    await peer.append(stream, id, version);
    answered.set(id, performance.now());
    return id;
  };
  const storm = async (name, n) => {
    const took = [];
    const began = performance.now();
    await Promise.all(Array.from({ length: n }, async (_, c) => {
      for (let i = 0; performance.now() - began < plan.period; i++) {
        const at = performance.now();
        await write(`${name}-${c}-${Math.floor(i / 10)}`, i % 10);
        took.push(performance.now() - at);
      }
    }));
    return { rate: took.length / ((performance.now() - began) / 1000), p99: quantile(took, 0.99) };
  };
  const figures = { append: [], p99: [], catch_up: 0, lag_p50: 0, lag_p99: 0, events: 0, lost: 0, doubled: 0, follows: !!peer.follow };
  for (const n of clients) {
    const { rate, p99 } = await storm(`append${n}`, n);
    figures.append.push(rate);
    figures.p99.push(p99);
  }
  figures.events = answered.size;
  if (!peer.follow) return figures;

  const got = new Map();
  let last = performance.now();
  const seen = (id) => {
    last = performance.now();
    if (got.has(id)) figures.doubled++;
    else got.set(id, last);
  };
  const all = async (n) => {
    while (got.size < n && performance.now() - last < plan.patience) await sleep(1);
  };
  const began = performance.now();
  const stop = await peer.follow(seen);
  await all(number);
  figures.catch_up = got.size / ((last - began) / 1000);
  await storm('beside', 8);
  last = performance.now();
  await all(number);

  const ids = [];
  const start = performance.now();
  const waiting = [];
  for (let n = 0; n < (plan.lag / 1000) * plan.rate; n++) {
    const due = start + (n * 1000) / plan.rate;
    if (due > performance.now()) await sleep(due - performance.now());
    waiting.push(write(`lag-${n}`, 0).then((id) => ids.push(id)));
  }
  await Promise.all(waiting);
  last = performance.now();
  await all(number);
  await stop();
  const lags = ids.filter((id) => got.has(id)).map((id) => Math.max(0, got.get(id) - answered.get(id)));
  figures.lag_p50 = quantile(lags, 0.5);
  figures.lag_p99 = quantile(lags, 0.99);
  figures.events = answered.size;
  figures.lost = [...answered.keys()].filter((id) => !got.has(id)).length;
  return figures;
}
