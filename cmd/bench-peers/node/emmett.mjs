import { getPostgreSQLEventStore, postgreSQLEventStoreConsumer } from '@event-driven-io/emmett-postgresql';
import { measure, note } from './measure.mjs';

const [url, plan] = [process.argv[2], JSON.parse(process.argv[3])];
const store = getPostgreSQLEventStore(url);
await store.schema.migrate();

const figures = await measure(plan, {
  append: (stream, id, version) => store.appendToStream(stream, [{ type: 'moved', data: { id, note } }],
    { expectedStreamVersion: version === 0 ? 'STREAM_DOES_NOT_EXIST' : BigInt(version) }),
  follow: async (seen) => {
    const consumer = postgreSQLEventStoreConsumer({ connectionString: url, pulling: { batchSize: plan.batch, pullingFrequencyInMs: plan.poll } });
    consumer.reactor({ processorId: 'peer', eachMessage: (message) => { seen(message.data.id); } });
    const running = consumer.start();
    return async () => { await consumer.close(); await running.catch(() => {}); };
  },
});
console.log(JSON.stringify(figures));
process.exit(0);
