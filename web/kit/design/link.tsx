import type { ComponentProps } from 'react';
import { createPath, type To } from '../router/path';
import { useHref, useLocation, useNavigate } from '../router/router';

/**
 * A link inside the shop: the page changes without a reload. Anything but a plain click, such as opening in a new
 * tab, stays the browser's own. (Of react-router only its core is used, so this stands in for its Link.)
 */
export function Link({ to, onClick, ...rest }: { to: To } & Omit<ComponentProps<'a'>, 'href'>) {
  const href = useHref(to);
  const navigate = useNavigate();
  const here = createPath(useLocation());
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
