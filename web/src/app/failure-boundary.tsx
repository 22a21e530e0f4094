import { Component, type ReactNode } from 'react';
import { Button } from '../design/button';
import { Page } from '../design/layout';
import { Empty } from '../design/state';
import { failureTexts } from '../texts/design';

/** Catches what a page could not draw, such as a chunk that a new release replaced, and offers a reload. */
export class FailureBoundary extends Component<{ children: ReactNode; place: string }, { failed?: string }> {
  override state: { failed?: string } = {};

  static getDerivedStateFromProps(props: { place: string }, state: { failed?: string }) {
    return state.failed !== undefined && state.failed !== props.place && state.failed !== ''
      ? { failed: undefined }
      : null;
  }

  static getDerivedStateFromError() {
    return { failed: '' };
  }

  override componentDidCatch() {
    this.setState({ failed: this.props.place });
  }

  override render() {
    if (this.state.failed === undefined) return this.props.children;
    return (
      <Page>
        <Empty text={failureTexts.broken}>
          <Button onClick={() => location.reload()}>{failureTexts.reload}</Button>
        </Empty>
      </Page>
    );
  }
}
