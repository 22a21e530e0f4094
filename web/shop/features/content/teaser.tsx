import type { ComponentProps } from 'react';
import { PublicButtonLink } from '../../../kit/design/button';
import type { Teaser } from '../../api/types';
import { sanitised } from '../post/sanitised';

/** HTML of a text that staff wrote, as an element of the page. */
export function Html({
  as: Tag,
  html,
  ...rest
}: { as: 'h1' | 'h2' | 'p' | 'span' | 'div'; html: string } & Pick<
  ComponentProps<'p'>,
  'id' | 'lang' | 'className'
>) {
  return (
    <Tag
      {...rest}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: the shop sanitises a text when it is written
      dangerouslySetInnerHTML={{ __html: sanitised(html) }}
    />
  );
}

/** The way on from a teaser, as a button. */
export const TeaserLink = ({ link, kind }: { link: Teaser['link'] | undefined; kind?: 'line' }) =>
  link ? (
    <PublicButtonLink
      to={link.url}
      {...(kind ? { kind } : {})}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: the shop sanitises a text when it is written
      dangerouslySetInnerHTML={{ __html: sanitised(link.text) }}
    />
  ) : null;
