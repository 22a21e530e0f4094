import { useQuery } from '@tanstack/react-query';
import { Link } from '../../src/design/link';
import { Head, Loaded } from '../../staff/parts/parts';
import t from '../../staff/parts/table.module.css';
import { queries } from '../api/queries';
import { Events } from '../trail/trail';

export function Rules() {
  const found = useQuery(queries.rules());
  return (
    <>
      <Head
        title="Rules"
        lead={
          <>
            Every version of the shop's rules and what it changed.{' '}
            <Link className={t.link} to="/analytics/what-if">
              Try others
            </Link>{' '}
            on all of history.
          </>
        }
      />
      <Loaded query={found} what="The rules">
        {({ steps }) => <Events steps={steps} lead={['Version']} />}
      </Loaded>
    </>
  );
}
