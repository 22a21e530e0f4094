import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { Icon, type IconName } from '../../../kit/design/icon';
import { useNavigate } from '../../../kit/router/router';
import { useSession } from '../../api/session';
import { Heading, Page } from '../../design/layout';
import { Title } from '../../design/title';
import { benefitsTexts } from '../../texts/session';
import { contentQueries } from '../content/content-queries';
import { shopName } from '../content/shop-name';
import s from './entry.module.css';
import { useNext } from './next';

/** A page with a form that leads to an account, and beside it what an account is good for. */
export function Entry({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Page>
      <Title text={`${title} — ${shopName()}`} />
      <div className={s.grid}>
        <div className={s.column}>
          <Heading title={title} />
          {children}
        </div>
        <Benefits />
      </div>
    </Page>
  );
}

function Benefits() {
  const percent = useQuery(contentQueries.rules()).data?.bonus_earn_percent;
  const benefits: { icon: IconName; text: string | undefined }[] = [
    { icon: 'bag', text: benefitsTexts.orders },
    { icon: 'leaf', text: percent === undefined ? undefined : benefitsTexts.bonuses(percent) },
    { icon: 'check', text: benefitsTexts.restock },
    { icon: 'truck', text: benefitsTexts.checkout },
  ];
  return (
    <aside className={s.benefits} aria-labelledby="benefits">
      <h2 id="benefits">{benefitsTexts.title}</h2>
      <ul>
        {benefits.map(({ icon, text }) => (
          <li key={icon}>
            <span className={s.icon}>
              <Icon name={icon} size={22} />
            </span>
            {text}
          </li>
        ))}
      </ul>
    </aside>
  );
}

/** Signed-in customers are sent on, whether they signed in here, before, or in another tab. */
export function useOnwards(): void {
  const signedIn = useSession() !== null;
  const next = useNext();
  const navigate = useNavigate();
  useEffect(() => {
    if (signedIn) navigate(next, { replace: true });
  }, [signedIn, next, navigate]);
}
