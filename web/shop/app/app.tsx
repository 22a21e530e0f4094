import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ComponentType, lazy, Suspense, useMemo } from 'react';
import { Route, Routes, useLocation } from '../../kit/router/router';
import { chunk } from '../design/chunk';
import { Page } from '../design/layout';
import { NotFound } from '../routes/not-found';
import { FailureBoundary } from './failure-boundary';
import { type PageModule, pageOf, pages } from './pages';
import { useScroll } from './scroll';
import { Shell } from './shell';

/**
 * The whole storefront. The page of the first paint may be given as a component that is already there, so that
 * nothing waits for it. Under the path `missing` the server has found nothing.
 */
export function App({
  client,
  first,
  missing,
}: {
  client: QueryClient;
  first?: { path: string; page: PageModule };
  missing?: string;
}) {
  const components = useMemo(
    () =>
      new Map<string, ComponentType>(
        pages.map(({ path, load }) => [
          path,
          first?.path === path ? first.page.default : lazy(() => chunk(load)),
        ]),
      ),
    [first],
  );
  return (
    <QueryClientProvider client={client}>
      <Shell>
        <Outlet components={components} missing={missing} />
      </Shell>
    </QueryClientProvider>
  );
}

function Outlet({ components, missing }: { components: Map<string, ComponentType>; missing?: string }) {
  useScroll();
  const { pathname } = useLocation();
  return (
    <FailureBoundary place={pathname}>
      <Suspense fallback={<Page>{null}</Page>}>
        {pathname === missing ? (
          <NotFound />
        ) : (
          <Routes>
            {pages.map(({ path }) => {
              const Component = components.get(path) as ComponentType;
              return <Route key={path} path={path} element={<Component />} />;
            })}
            <Route path="*" element={<NotFound />} />
          </Routes>
        )}
      </Suspense>
    </FailureBoundary>
  );
}

/** Loads the page of an address, for the first paint. */
export async function loadFirst(pathname: string): Promise<{ path: string; page: PageModule } | undefined> {
  const found = pageOf(pathname);
  return found && { path: found.path, page: await found.load() };
}
