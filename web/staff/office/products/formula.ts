/** What a formula may name. */
export type Names = Record<string, number>;

/** A formula that cannot be read, with the place of the first sign that does not fit. */
export class BadFormula extends Error {
  constructor(readonly at: number) {
    super(`at ${at}`);
  }
}

const token = /\s*(?:(\d+(?:[.,]\d+)?)|([\p{L}_]+)|([-+*/()%]))/uy;

type Token = { at: number; number?: number; name?: string; sign?: string };

function tokensOf(text: string): Token[] {
  const found: Token[] = [];
  token.lastIndex = 0;
  let at = 0;
  while (text.slice(at).trim()) {
    token.lastIndex = at;
    const match = token.exec(text);
    if (!match) throw new BadFormula(at);
    const [whole, number, name, sign] = match;
    found.push({
      at: at + whole.length - whole.trimStart().length,
      ...(number === undefined ? {} : { number: Number(number.replace(',', '.')) }),
      ...(name === undefined ? {} : { name: name.toLowerCase() }),
      ...(sign === undefined ? {} : { sign }),
    });
    at += whole.length;
  }
  return found;
}

/**
 * What a formula such as `price * 1.1 + 50` comes to: numbers, names, + - * / and brackets; a number with % is its
 * hundredth. Division by zero is Infinity, which no price is.
 */
export function evaluate(text: string, names: Names): number {
  const tokens = tokensOf(text);
  let next = 0;
  const end = text.length;
  const sign = (...any: string[]) => {
    const found = tokens[next]?.sign;
    if (found === undefined || !any.includes(found)) return undefined;
    next++;
    return found;
  };
  const sum = (): number => {
    let value = product();
    for (let by = sign('+', '-'); by; by = sign('+', '-'))
      value = by === '+' ? value + product() : value - product();
    return value;
  };
  const product = (): number => {
    let value = one();
    for (let by = sign('*', '/'); by; by = sign('*', '/')) value = by === '*' ? value * one() : value / one();
    return value;
  };
  const one = (): number => {
    if (sign('-')) return -one();
    if (sign('(')) {
      const value = sum();
      if (!sign(')')) throw new BadFormula(tokens[next]?.at ?? end);
      return value;
    }
    const here = tokens[next++];
    if (here?.number !== undefined) return sign('%') ? here.number / 100 : here.number;
    if (here?.name === undefined || !Object.hasOwn(names, here.name)) throw new BadFormula(here?.at ?? end);
    return names[here.name] as number;
  };
  const value = sum();
  if (next < tokens.length) throw new BadFormula(tokens[next]?.at ?? end);
  return value;
}

export type Rounding = 'nearest' | 'up' | 'down';

/** A price rounded to a multiple of a step, at least the step. What only binary fractions add does not round up. */
export function rounded(value: number, step: number, how: Rounding): number {
  const steps = Number((value / step).toFixed(6));
  const whole = how === 'up' ? Math.ceil(steps) : how === 'down' ? Math.floor(steps) : Math.round(steps);
  return whole * step;
}
