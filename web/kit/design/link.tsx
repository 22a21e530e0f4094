import type { ComponentProps } from 'react';
import { addressOf } from '../router/history';
import { useHref, useLocation, useNavigate } from '../router/router';

/**
 * A link inside the shop: the page changes without a reload. Anything but a plain click, such as opening in a new
 * tab, stays the browser's own. (wouter's Link neither stays on the page for a query nor replaces an entry by itself.)
 */
export function Link({ to, onClick, ...rest }: { to: string } & Omit<ComponentProps<'a'>, 'href'>) {
  const href = useHref(to);
  const navigate = useNavigate();
  const here = addressOf(useLocation());
  return (
    <a
      href={href}
      onClick={(event) => {
        onClick?.(event);
        const plain =
          event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
        if (event.defaultPrevented || !plain || (rest.target && rest.target !== '_self')) return;
        event.preventDefault();
        navigate(to, { replace: href === here });
      }}
      {...rest}
    />
  );
}

/** A link to an address that staff published: pages of the shop open without a reload, files and other sites as the browser does it. */
export const PublicLink = ({ to, ...rest }: ComponentProps<typeof Link>) =>
  /^\/(?!.*\.\w+$)/.test(to) ? <Link to={to} {...rest} /> : <a href={to} {...rest} />;
