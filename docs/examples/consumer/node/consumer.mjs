// Reads the shop's orders from NATS JetStream, each once, also when it is killed at any moment.
//
//   npm ci && node consumer.mjs nats://127.0.0.1:4222 orders.jsonl
//
// What it makes of a message and how far it has come are one line of one file, on the disk before the next message is read.
import { jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { existsSync, fsyncSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';

const [servers = 'nats://127.0.0.1:4222', out = 'orders.jsonl'] = process.argv.slice(2);

const text = existsSync(out) ? readFileSync(out) : Buffer.alloc(0);
const whole = text.subarray(0, text.lastIndexOf(10) + 1); // a last line that was cut off by a kill is removed
const places = new Map();
for (const line of whole.toString().split('\n').filter(Boolean)) {
  const { range, epoch, last } = JSON.parse(line);
  places.set(range, { epoch, last });
}
if (existsSync(out)) truncateSync(out, whole.length);
const file = openSync(out, 'a');

const connection = await connect({ servers, maxReconnectAttempts: -1 });
const stream = jetstream(connection);

async function follow(range) {
  const consumer = await stream.consumers.get('SHOP_LOG', { filter_subjects: `shop.log.${range}` });
  for await (const message of await consumer.consume()) take(message);
}

function take(message) {
  const header = (name) => message.headers.get(name);
  const range = header('Shop-Range');
  const at = places.get(range) ?? { last: 0 };
  const last = Number(header('Shop-Last'));
  if (at.epoch && at.epoch !== header('Shop-Epoch')) console.warn(`range ${range}: the log has a new epoch`);
  else if (Number(header('Shop-Previous')) > at.last) console.error(`range ${range}: events are missing after ${at.last}`);
  if (last <= at.last) return; // it came before
  const orders = message
    .json()
    .filter((event) => event.type === 'order.placed' && Number(event.position) > at.last)
    .map((event) => ({ id: event.id, stream: event.subject, number: event.data.number, at: event.time }));
  const place = { epoch: header('Shop-Epoch'), last };
  writeSync(file, `${JSON.stringify({ range, ...place, orders })}\n`);
  fsyncSync(file);
  places.set(range, place);
}

await Promise.all(['0', '1', '2', '3'].map(follow));
