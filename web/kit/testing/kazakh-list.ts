import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const home = join(import.meta.dirname, '../../..');
const read = (file: string) => readFileSync(join(home, file), 'utf8');
const lines = (file: string) => read(file).trimEnd().split('\n');

type Row = { key: string; russian: string; kazakh: string };
type Section = { file: string; what: string; rows: Row[] };
type Catalogue = Record<string, Record<string, unknown>>;

const cyrillic = /\p{Script=Cyrillic}/u;

/** The texts in a function's source, with {…} for each value that they take. A text within such a value is a piece of its own. */
export function textsIn(source: string): string[] {
  const pieces: string[] = [];
  let at = 0;
  const quoted = (quote: string): string => {
    let text = '';
    for (at++; at < source.length && source[at] !== quote; at++) {
      if (source[at] === '\\') text += source[++at];
      else if (quote === '`' && source.startsWith('${', at)) {
        at += 2;
        outside('}');
        text += '{…}';
      } else text += source[at];
    }
    return text;
  };
  const outside = (end: string) => {
    for (let depth = 0; at < source.length; at++) {
      const letter = source[at] as string;
      if (letter === end && depth === 0) return;
      if (letter === '{') depth++;
      if (letter === '}') depth--;
      if ('\'"`'.includes(letter)) {
        const place = pieces.push('') - 1;
        pieces[place] = quoted(letter);
      }
    }
  };
  outside('');
  return pieces.filter((piece) => cyrillic.test(piece) || piece.includes('{…}'));
}

/** What a text, a function or a list of them says, by its key. */
function* said(value: unknown, key: string): Generator<[string, string]> {
  if (typeof value === 'string') yield [key, value];
  else if (typeof value === 'function') yield [key, textsIn(String(value)).join(' / ')];
  else if (typeof value === 'object' && value !== null)
    for (const [name, one] of Object.entries(value)) yield* said(one, `${key}.${name}`);
}

/** The texts of a catalogue that a file says in Kazakh. */
function rowsOf(russian: Catalogue, kazakh: Catalogue): Row[] {
  return Object.keys(kazakh)
    .sort()
    .flatMap((name) => {
      const other = new Map(said(kazakh[name], name));
      return [...said(russian[name], name)]
        .map(([key, text]) => ({ key, russian: text, kazakh: other.get(key) ?? '' }))
        .filter(({ russian, kazakh }) => cyrillic.test(russian + kazakh));
    });
}

/** Two files that say the same, line by line. */
function sideBySide(russian: string, kazakh: string, skip = 0): Row[] {
  const other = lines(kazakh).slice(skip);
  const own = lines(russian);
  if (own.length !== other.length)
    throw new Error(`${russian} has ${own.length} lines, ${kazakh} ${other.length}`);
  return own
    .map((text, at) => ({ key: `${at + 1 + skip}`, russian: text.trim(), kazakh: (other[at] ?? '').trim() }))
    .filter(({ russian, kazakh }) => cyrillic.test(russian) && russian !== kazakh);
}

const file = (path: string, what: string, rows: Row[]): Section => ({ file: path, what, rows });

/** The sections of docs/kazakh-staff.md: for each file its objects, each in the first file that has it. */
export function forStaff(russian: Catalogue, files: [string, Catalogue][]): Section[] {
  const seen = new Set<string>();
  return files
    .map(([path, kazakh]) => {
      const own = Object.entries(kazakh).filter(([name]) => name in russian && !seen.has(name));
      for (const [name] of own) seen.add(name);
      return file(path, `\`${path}\``, rowsOf(russian, Object.fromEntries(own)));
    })
    .filter(({ rows }) => rows.length > 0);
}

/** The sections of docs/kazakh.md, which shoppers read. */
export function forShoppers(russian: Catalogue, kazakh: Catalogue): Section[] {
  const letters = readdirSync(join(home, 'commands/mail/templates/kk')).sort();
  return [
    file('web/shop/texts/kk.ts', 'The storefront', rowsOf(russian, kazakh)),
    file(
      'readapi/sentences/kazakh.txt',
      'Answers to shoppers',
      lines('readapi/sentences/kazakh.txt').map((line, at) => {
        const [russian = '', kazakh = ''] = line.split('|');
        return { key: `${at + 1}`, russian, kazakh };
      }),
    ),
    // A letter whose words are all in texts.json has nothing of its own.
    ...letters
      .map((name) =>
        file(
          `commands/mail/templates/kk/${name}`,
          name === 'texts.json'
            ? 'What letters say and staff may change'
            : `The letter ${basename(name, '.tmpl')}`,
          sideBySide(`commands/mail/templates/${name}`, `commands/mail/templates/kk/${name}`),
        ),
      )
      .filter(({ rows }) => rows.length > 0),
    ...['about', 'delivery'].map((name) =>
      file(
        `readapi/pages/${name}-kk.html`,
        `The page ${name}`,
        sideBySide(`readapi/pages/${name}.html`, `readapi/pages/${name}-kk.html`),
      ),
    ),
    ...['offer', 'privacy'].map((name) =>
      file(
        `readapi/documents/${name}-kk.html`,
        `The document ${name}`,
        sideBySide(`readapi/documents/${name}.html`, `readapi/documents/${name}-kk.html`, 1),
      ),
    ),
    file(
      'commands/payments/bank-kk.html',
      'The test bank',
      sideBySide('commands/payments/bank.html', 'commands/payments/bank-kk.html'),
    ),
    file(
      'commands/mail/unsubscribe-kk.html',
      'The way off a waiting list',
      sideBySide('commands/mail/unsubscribe.html', 'commands/mail/unsubscribe-kk.html'),
    ),
  ];
}

const cell = (text: string) =>
  text
    .replaceAll('\\', '\\\\')
    .replaceAll('](', ']\\(')
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;')
    .replaceAll(/\s/g, ' ');

const table = ({ file, what, rows }: Section) =>
  [
    `## ${what}`,
    '',
    ...(what.includes(file) ? [] : [`\`${file}\``, '']),
    '| where | Russian | Kazakh |',
    '| --- | --- | --- |',
    ...rows.map(({ key, russian, kazakh }) => `| ${key} | ${cell(russian)} | ${cell(kazakh)} |`),
    '',
  ].join('\n');

const made = '<!-- Made by `make kazakh`. Do not edit it. -->';

/** What docs/kazakh.md says. */
export const shoppersList = (sections: Section[]) =>
  `# Kazakh, to be read by somebody who speaks it

${made}

A machine made all Kazakh texts of the shop, and nobody who speaks the language has read them yet. They need a native reader before the shop opens, the documents and
the letters most of all: what they promise binds the shop. This file has each text that shoppers read in Russian beside its Kazakh one, and says where it is said: the
file, and the line or the name in it. [kazakh-staff.md](kazakh-staff.md) has the texts of the staff app. A mistake is mended in the file that is named, and \`make kazakh\` writes both
lists anew; a test compares them with the texts. \`{…}\` stands for what is filled in.

These Kazakh texts stand beside the Russian ones in their files, and are not repeated here:

- the goods, categories and marks of the demo: \`cmd/shop/demo/catalog.xml\` («… на казахском»), \`categories.json\`, \`marks.json\` (\`kazakh\`)
- what letters say of days, reasons and steps of a price: \`commands/mail/language.go\`
- the needs that the search suggests: \`readapi/search/synonyms.txt\`
- hours and returns before settings are published: \`cmd/shop/app/stated.go\`, \`domain/settings/decider.go\`
- the strip of a region that is cut off: \`cmd/shop/edge/region_banner.js\`, \`cmd/shop/edge/region.go\`; that of the test bank: \`cmd/shop/pages/testbank.go\`

${sections.map(table).join('\n')}`;

/** What docs/kazakh-staff.md says. */
export const staffList = (sections: Section[]) =>
  `# Kazakh of the staff app

${made}

The texts of the staff app, made by a machine like those that shoppers read: [kazakh.md](kazakh.md) says what is to be done with them.

${sections.map(table).join('\n')}`;
