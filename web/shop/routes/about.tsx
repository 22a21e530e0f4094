import { ButtonLink } from '../../kit/design/button';
import { Breadcrumbs } from '../design/breadcrumbs';
import { Heading, Page } from '../design/layout';
import { Title } from '../design/title';
import { shopName } from '../features/content/shop-name';
import { aboutTexts } from '../texts/content';
import s from './about.module.css';

const t = aboutTexts;

const values = () => [
  { title: t.quality, text: t.qualityText },
  { title: t.benefit, text: t.benefitText },
  { title: t.brands, text: t.brandsText },
  { title: t.organic, text: t.organicText },
];

export default function AboutPage() {
  return (
    <Page>
      <Title text={`${t.title} — ${shopName()}`} description={t.lead} />
      <Breadcrumbs trail={[]} here={t.title} />
      <Heading title={t.title} />
      <div className={s.lead}>
        <p>{t.lead}</p>
        <ButtonLink to="/categories">{t.toCatalog}</ButtonLink>
      </div>
      <ul className={s.values}>
        {values().map(({ title, text }) => (
          <li key={title}>
            <h2>{title}</h2>
            <p>{text}</p>
          </li>
        ))}
      </ul>
      <section className={s.story} aria-labelledby="story-title">
        <h2 id="story-title">{t.story}</h2>
        <div>
          {t.storyText.map((part) => (
            <p key={part}>{part}</p>
          ))}
          <ButtonLink kind="line" to="/news">
            {t.toNews}
          </ButtonLink>
        </div>
      </section>
    </Page>
  );
}
