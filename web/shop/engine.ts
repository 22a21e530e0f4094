/**
 * What the engine that renders pages in the server lacks of a browser and React or the router touch. Nothing here works
 * beyond that: a page that needs more needs it in an effect.
 */
const lacking = globalThis as unknown as Record<string, unknown>;
const nothing = () => {};

lacking.self ??= globalThis;
lacking.console ??= { log: nothing, info: nothing, debug: nothing, warn: nothing, error: nothing };
lacking.setTimeout ??= () => 0;
lacking.clearTimeout ??= nothing;
lacking.setInterval ??= () => 0;
lacking.clearInterval ??= nothing;
lacking.queueMicrotask ??= (task: () => void) => void Promise.resolve().then(task);
lacking.performance ??= { now: () => Date.now() };
lacking.MessageChannel ??= class {
  port1 = {};
  port2 = { postMessage: nothing };
};
lacking.TextEncoder ??= class {
  encode = () => new Uint8Array();
};
lacking.AbortController ??= class {
  signal = { aborted: false, addEventListener: nothing, removeEventListener: nothing };
  abort = nothing;
};
// Of addresses the router compares the origins, and all are our own.
lacking.URL ??= class {
  origin = 'http://localhost';
  protocol = 'http:';
  host = 'localhost';
  pathname: string;

  constructor(readonly href: string) {
    this.pathname = href.replace(/[?#].*/, '');
  }
};
lacking.URLSearchParams ??= class {
  #pairs: [string, string][];

  constructor(from: string | Iterable<[string, string]> = '') {
    const text = typeof from === 'string' ? from.replace(/^\?/, '') : '';
    this.#pairs =
      typeof from === 'string'
        ? text
            .split('&')
            .filter(Boolean)
            .map((pair) => {
              const [name = '', ...value] = pair.split('=');
              return [decode(name), decode(value.join('='))];
            })
        : [...from];
  }

  get(name: string) {
    return this.#pairs.find(([own]) => own === name)?.[1] ?? null;
  }

  set(name: string, value: string) {
    const at = this.#pairs.findIndex(([own]) => own === name);
    if (at < 0) this.#pairs.push([name, value]);
    else this.#pairs = this.#pairs.filter(([own], place) => own !== name || place === at);
    if (at >= 0) this.#pairs[at] = [name, value];
  }

  delete(name: string) {
    this.#pairs = this.#pairs.filter(([own]) => own !== name);
  }

  [Symbol.iterator]() {
    return this.#pairs[Symbol.iterator]();
  }

  toString() {
    return this.#pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
  }
};

const decode = (text: string) => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
};

const encode = (text: string) =>
  encodeURIComponent(text)
    .replace(/[!'()~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');
