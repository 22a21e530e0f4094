import { ButtonLink } from '../../kit/design/button';
import { Page } from '../design/layout';
import { Picture } from '../design/picture';
import { Title } from '../design/title';
import { notFoundTexts } from '../texts/shell';
import s from './not-found.module.css';

/** Shown for an address the shop does not have, and for a product, brand or category that is not there. */
export function NotFound() {
  return (
    <Page className={s.page}>
      <Title text={notFoundTexts.title} />
      <div className={s.text}>
        <h1>{notFoundTexts.title}</h1>
        <ButtonLink to="/">{notFoundTexts.back}</ButtonLink>
      </div>
      <Picture className={s.picture} picture={null} kind="box" alt="" sizes="" />
    </Page>
  );
}
