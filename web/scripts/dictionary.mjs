// Writes the Russian dictionary that the program's search reads words by: the endings' rules, an empty line, then the words
// with the names of their rules. Names of people and places are left out. The words come from the package dictionary-ru
// (A. Lebedev, BSD-3-Clause), whose licence goes beside them.
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

const from = dirname(createRequire(import.meta.url).resolve('dictionary-ru'));
const to = new URL('../../readapi/words/dictionary/', import.meta.url).pathname;
const spelled = (text) => text.replaceAll('ё', 'е');

const rules = new Set();
for (const line of (await readFile(join(from, 'index.aff'), 'utf8')).split('\n')) {
  const [kind, flag, strip, add, condition] = line.trim().split(/\s+/);
  if (kind === 'SFX' && condition) rules.add(spelled([flag, strip, add.split('/')[0], condition].join(' ')));
}
const words = new Map();
for (const line of (await readFile(join(from, 'index.dic'), 'utf8')).split('\n').slice(1)) {
  const [word, flags = ''] = line.trim().split('/');
  if (!/^[а-яё]{2,}$/.test(word)) continue;
  const name = spelled(word);
  words.set(name, [...new Set((words.get(name) ?? '') + flags)].sort().join(''));
}
const lines = [...words].sort(([a], [b]) => (a < b ? -1 : 1)).map(([word, flags]) => (flags ? `${word}/${flags}` : word));
await mkdir(to, { recursive: true });
await writeFile(join(to, 'ru.gz'), gzipSync([...rules, '', ...lines, ''].join('\n'), { level: 9 }));
await copyFile(join(from, 'license'), join(to, 'ru.license'));
