import { useQuery } from '@tanstack/react-query';
import { Link } from '../../../kit/design/link';
import t from '../../../kit/table/table.module.css';
import { Rich } from '../../../kit/texts/rich';
import { Head, Loaded } from '../../parts/parts';
import { queries } from '../api/queries';
import { ruleTexts, screenTexts } from '../texts/ru';
import { Events } from '../trail/trail';

export function Rules() {
  const found = useQuery(queries.rules());
  return (
    <>
      <Head
        title={screenTexts.rules}
        lead={
          <Rich
            text={ruleTexts.lead}
            link={(words) => (
              <Link className={t.link} to="/analytics/what-if">
                {words}
              </Link>
            )}
          />
        }
      />
      <Loaded query={found} what={ruleTexts.what}>
        {({ steps }) => <Events steps={steps} lead={['Version']} />}
      </Loaded>
    </>
  );
}
