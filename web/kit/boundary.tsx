import { Component, type ReactNode } from 'react';

type Props = { children: ReactNode; place: string; fallback: ReactNode };

/**
 * Shows its fallback in place of what could not be drawn, such as a chunk that a new release replaced or that did not
 * load. A change of place tries again.
 */
export class Boundary extends Component<Props, { failed?: string }> {
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
    return this.state.failed === undefined ? this.props.children : this.props.fallback;
  }
}
