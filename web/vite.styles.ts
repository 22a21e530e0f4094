import globalData from '@csstools/postcss-global-data';
import customMedia from 'postcss-custom-media';
import type { CSSOptions } from 'vite';

/** Short class names make the one CSS file a fifth smaller; every build must find the same ones. */
export const classNames = '_[hash:base64:5]';

/** Puts the widths of breakpoints.css where style sheets name them. */
export const postcss: CSSOptions['postcss'] = {
  plugins: [
    globalData({ files: [new URL('./kit/design/breakpoints.css', import.meta.url).pathname] }),
    customMedia(),
  ],
};
