import type { ReactNode } from 'react';
import { Boundary } from '../../kit/boundary';
import { Button } from '../../kit/design/button';
import { Page } from '../design/layout';
import { Empty } from '../design/state';
import { failureTexts } from '../texts/design';

/** Offers a reload in place of a page that could not be drawn. */
export function FailureBoundary({ children, place }: { children: ReactNode; place: string }) {
  return (
    <Boundary place={place} fallback={<Failure />}>
      {children}
    </Boundary>
  );
}

function Failure() {
  return (
    <Page>
      <Empty text={failureTexts.broken}>
        <Button onClick={() => location.reload()}>{failureTexts.reload}</Button>
      </Empty>
    </Page>
  );
}
