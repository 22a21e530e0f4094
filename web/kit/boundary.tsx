import { Component, type ReactNode } from 'react';
import { Action, Nothing } from './parts/parts';

/**
 * Catches what a screen could not draw, such as a part that did not load while the shop was away, and leaves the frame
 * with the other screens. Another place is tried anew.
 */
export class Boundary extends Component<{ children: ReactNode; place: string }, { failed?: string }> {
  override state: { failed?: string } = {};

  static getDerivedStateFromError() {
    return { failed: '' };
  }

  override componentDidCatch() {
    this.setState({ failed: this.props.place });
  }

  override componentDidUpdate() {
    const { failed } = this.state;
    if (failed !== undefined && failed !== '' && failed !== this.props.place)
      this.setState({ failed: undefined });
  }

  override render() {
    if (this.state.failed === undefined) return this.props.children;
    return (
      <div role="alert">
        <Nothing title="This screen did not load">
          The shop could not be reached, or a new version of it is there.{' '}
          <Action onClick={() => location.reload()}>Load the page again</Action>
        </Nothing>
      </div>
    );
  }
}
