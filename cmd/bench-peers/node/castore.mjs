import { PostgresEventStorageAdapter } from '@castore/event-storage-adapter-postgres';
import { measure, note } from './measure.mjs';

const [url, plan] = [process.argv[2], JSON.parse(process.argv[3])];
// Its driver knows sockets by the environment alone.
const at = new URL(url);
process.env.PGDATABASE = at.pathname.slice(1);
for (const name of ['host', 'port', 'user', 'password']) {
  const value = at.searchParams.get(name) ?? { host: at.hostname, port: at.port, user: decodeURIComponent(at.username), password: decodeURIComponent(at.password) }[name];
  if (value) process.env[`PG${name.toUpperCase()}`] = value;
}
await PostgresEventStorageAdapter.createEventTable({ connectionString: '', aggregateId: { type: 'VARCHAR', length: 64 } });
const adapter = new PostgresEventStorageAdapter({ connectionString: '' });

// Castore publishes to a bus after the write, and has no reader of the whole table.
const figures = await measure(plan, {
  append: (stream, id, version) => adapter.pushEvent({ aggregateId: stream, version: version + 1, type: 'moved', payload: { id, note } }, { eventStoreId: 'peer' }),
});
console.log(JSON.stringify(figures));
process.exit(0);
